#include "session_state.hpp"

#include "cache_access.hpp"

namespace headwise {

using runtime::Plan;

namespace {

// The steps of a plan.
class PlanGraph final : public runtime::Graph {
 public:
  explicit PlanGraph(const Plan& plan_) noexcept : Graph(plan_, plan_.num_steps) {}
  void run(int step, const runtime::Slab& slab, runtime::Worker& worker) const noexcept override {
    plan.steps[step].run(plan, slab, worker);
  }
};

}  // namespace

Session::State::State(const MultiHeadAttention& model, const SessionOptions& options)
    : attention(model), runner(runtime::products_of(attention.model()), Plan::max_steps, options) {}

const Plan& Session::State::plan_for(const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  const int threads = runner.team_threads();
  if (const Plan* plan = last.plan_for(inputs, outputs, threads)) return *plan;
  Plan& plan = last.forget();
  plan.model = &attention.model();
  runtime::read_request(*plan.model, inputs, outputs, tables, plan.request);
  runtime::make_plan(plan, tables, {threads, runner.schedule()});
  last.remember(inputs, outputs, threads);
  return plan;
}

// Runs a plan and lets the cache know what became of its new tokens.
void Session::State::execute(const Plan& plan, const std::atomic<bool>* cancel) {
  runner.execute(PlanGraph(plan), cancel);
  finish_cache(plan);
  runner.report_failure();
}

void Session::State::finish_cache(const Plan& plan) noexcept {
  const runtime::Request& r = plan.request;
  if (r.cache == nullptr || !r.key.given) return;
  const auto finish = runner.failed() ? KvCache::Access::abandon : KvCache::Access::commit;
  for (std::int64_t b = 0; b < r.sizes.batch; ++b) finish(*r.cache, b, r.sequence(b).new_keys);
}

}  // namespace headwise
