#include "encoder_plan.hpp"
#include "explain.hpp"

namespace headwise::encoder {

namespace {

// In `times` layers together.
void name_steps(const StepList& list, double times, Explanation& result) {
  for (int i = 0; i < list.count; ++i) {
    const runtime::Step& step = list.steps[i];
    result.steps.push_back({step.name, step.reads, step.writes, times * step.flops, times * step.bytes});
  }
}

}  // namespace

Explanation explain(const EncoderPlan& plan, int session_threads) {
  const auto layers = static_cast<double>(plan.layers.size());
  Explanation result = runtime::explain(plan.layers.front(), session_threads);
  const std::int64_t hidden = 2 * plan.call.rows * plan.call.model->config.model_dim;
  result.scratch_bytes += static_cast<std::size_t>(hidden) * sizeof(float);
  result.live_pairs *= layers;
  result.steps.clear();
  name_steps(plan.before, 1, result);
  name_steps(plan.layer, layers, result);
  name_steps(plan.after, 1, result);
  return result;
}

}  // namespace headwise::encoder
