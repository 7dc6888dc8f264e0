#include "explain.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>

#include "out_of_memory.hpp"
#include "weight_outputs.hpp"

namespace headwise {

namespace {

std::string line(const char* name, const char* reads, const char* writes, const char* flops, const char* bytes) {
  char text[160];
  std::snprintf(text, sizeof text, "%-15s %-12s %-10s %12s %12s\n", name, reads, writes, flops, bytes);
  return text;
}

// printf would write the decimal point of the caller's locale.
std::string millions(double number) {
  char text[330];  // the longest double
  return {text, std::to_chars(text, text + sizeof text, number / 1e6, std::chars_format::fixed, 3).ptr};
}

std::string line(const StepInfo& step) {
  return line(step.name.c_str(), step.reads.c_str(), step.writes.c_str(), millions(step.flops).c_str(),
              millions(step.bytes).c_str());
}

using runtime::Plan;
using Reasons = std::vector<std::string>;

std::string kernel_name(const Plan& plan) {
  if (std::strcmp(plan.model->kernels->isa, "reference") == 0) return "reference";
  if (plan.all_few) return "few queries";
  return plan.any_few ? "queries in lanes, few queries for some sequences" : "queries in lanes";
}

void explain_isa(const Plan& plan, Reasons& reasons) {
  const kernels::KernelTable& best = kernels::best_kernels();
  if (plan.model->kernels == &best) {
    const kernels::KernelList all = kernels::compiled_kernels();
    for (int i = 0; i < all.count && all.tables[i] != &best; ++i) {
      reasons.push_back(std::string("this CPU lacks what ") + all.tables[i]->isa + " needs");
    }
    return;
  }
  reasons.push_back(std::string("the ISA was asked for; ") + best.isa + " would run here");
}

void explain_keys(const Plan& plan, Reasons& reasons) {
  const runtime::Request& r = plan.request;
  if (!r.attends) return;
  if (!plan.model->projected && runtime::gathers_queries(plan)) {
    reasons.push_back("query is copied: its rows are not adjacent f32, or they are normalised or turned");
  }
  if (!plan.model->projected && (runtime::gathers_keys(plan) || runtime::gathers_values(plan))) {
    reasons.push_back("key or value is copied: rows are not adjacent, go to a cache as f32, or are turned");
  }
  const bool cached = r.cache != nullptr && r.cache->dtype() != DType::f32;
  if (cached) reasons.push_back("cached keys and values are converted to f32 block by block");
}

void explain_types(const Plan& plan, Reasons& reasons) {
  const runtime::Request& r = plan.request;
  const bool halves = runtime::is_half(r.query.dtype) || runtime::is_half(r.outputs.output.dtype);
  if (halves) reasons.push_back("f16 and bf16 rows are converted to f32 and back: there is no arithmetic in them");
  if (r.element == kernels::Element::f64) reasons.push_back("f64 runs in the reference kernel alone");
  if (plan.model->config.softcap != 0)
    reasons.push_back("the tanh of the soft-cap takes about a fifth of the core's time");
}

void explain_masks(const Plan& plan, Reasons& reasons) {
  for (int m = 0; m < plan.request.num_masks; ++m) {
    if (plan.request.masks[m].head_stride == 0) continue;
    reasons.push_back("a mask differs between heads, so it is looked over once a head");
  }
  if (plan.any_few && plan.request.num_masks > 0) {
    reasons.push_back(
        "with a mask tensor few queries of a head run on one thread: only a walk over the keys finds slices");
  }
}

// Some few queries' weights have to be copied, so that their slices stay on one thread.
bool keeps_slices_together(const Plan& plan) {
  for (std::int64_t b = 0; b < plan.request.sizes.batch; ++b) {
    const runtime::Block first{b, 0, 0, 1};
    if (plan.request.sequence(b).few && plan.request.wants_weights() && !runtime::is_direct(plan, first)) return true;
  }
  return false;
}

void explain_units(const Plan& plan, Reasons& reasons) {
  const AttentionOutputs& o = plan.request.outputs;
  if (o.average_attention.given) reasons.push_back("average_attention is summed over the heads by one thread a block");
  if (o.column_sums.given) reasons.push_back("column_sums are summed over the queries by one thread a head");
  if (keeps_slices_together(plan)) {
    reasons.push_back(
        "slices of few queries are shared by threads only where their weights go to `attention` in place");
  }
  if (o.scores.given) reasons.push_back("scores are computed a second time for their output");
}

void explain_threads(const Plan& plan, int session_threads, Reasons& reasons) {
  if (plan.threads < session_threads) {
    reasons.push_back("the work is worth " + std::to_string(plan.threads) + " of " + std::to_string(session_threads) +
                      " threads: waking more takes longer than they save");
  }
}

}  // namespace

namespace runtime {

Explanation explain(const Plan& plan, int session_threads) {
  Explanation result;
  result.isa = plan.model->kernels->isa;
  result.schedule = plan.deep ? "deep" : plan.threads == 1 ? "inline" : "wide";
  result.threads = plan.threads;
  result.scratch_bytes = static_cast<std::size_t>(plan.scratch_floats()) * sizeof(float);
  result.kernel = kernel_name(plan);
  for (int i = 0; i < plan.num_steps; ++i) {
    const Step& step = plan.steps[i];
    result.steps.push_back({step.name, step.reads, step.writes, step.flops, step.bytes});
  }
  for (std::int64_t b = 0; b < plan.request.sizes.batch; ++b) {
    result.live_pairs += double(plan.request.sizes.heads) * plan.request.sequence(b).pairs;
  }
  explain_isa(plan, result.reasons);
  explain_keys(plan, result.reasons);
  explain_types(plan, result.reasons);
  explain_masks(plan, result.reasons);
  explain_units(plan, result.reasons);
  explain_threads(plan, session_threads, result.reasons);
  return result;
}

}  // namespace runtime

std::string Explanation::to_string() const try {
  std::string text = "ISA " + isa + ", kernel " + kernel + ", " + schedule + " schedule, " + std::to_string(threads) +
                     (threads == 1 ? " thread, " : " threads, ") + std::to_string(scratch_bytes) +
                     " bytes of scratch\n";
  text += line("step", "reads", "writes", "MFLOP", "MB");
  for (const StepInfo& step : steps) text += line(step);
  for (const std::string& reason : reasons) text += "why: " + reason + "\n";
  return text;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for the text of a plan");
}

}  // namespace headwise
