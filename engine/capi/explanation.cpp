#include "boundary.hpp"
#include "handles.hpp"
#include "structs.hpp"

using namespace headwise::capi;

void headwise_explanation_free(headwise_explanation* explanation) {
  delete explanation;
}

headwise_status headwise_explanation_get(const headwise_explanation* explanation, headwise_explanation_info* info) {
  return guard([&] {
    const headwise_explanation& handle = deref("explanation", explanation);
    const headwise::Explanation& e = handle.explanation;
    write_struct<headwise_explanation_info>(
        "info", info,
        {0, e.isa.c_str(), e.schedule.c_str(), e.kernel.c_str(), handle.text.c_str(), e.threads, e.scratch_bytes,
         e.live_pairs, count_of(e.steps), count_of(e.reasons)});
  });
}

headwise_status headwise_explanation_step(const headwise_explanation* explanation, int64_t index,
                                          headwise_step_info* info) {
  return guard([&] {
    const auto& step = element_at("index", deref("explanation", explanation).explanation.steps, index);
    write_struct<headwise_step_info>(
        "info", info, {0, step.name.c_str(), step.reads.c_str(), step.writes.c_str(), step.flops, step.bytes});
  });
}

headwise_status headwise_explanation_reason(const headwise_explanation* explanation, int64_t index,
                                            const char** reason) {
  return guard([&] {
    const auto& text = element_at("index", deref("explanation", explanation).explanation.reasons, index);
    deref("reason", reason) = text.c_str();
  });
}
