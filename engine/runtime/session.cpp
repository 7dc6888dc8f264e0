#include "explain.hpp"
#include "float_mode.hpp"
#include "make_profile.hpp"
#include "out_of_memory.hpp"
#include "session_state.hpp"

namespace headwise {

using runtime::Plan;
using runtime::Turn;

Session::Session(const MultiHeadAttention& attention, const SessionOptions& options) try
    : state_(std::make_unique<State>(attention, options)) {
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a session");
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

int Session::threads() const noexcept {
  return state_->runner.threads();
}

void Session::run(const AttentionInputs& inputs, const AttentionOutputs& outputs) try {
  const Turn turn(state_->runner.taken);
  const FloatMode mode;
  state_->runner.find_threads();
  state_->execute(state_->plan_for(inputs, outputs), inputs.cancel);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to run a call");
}

Profile Session::profile(const AttentionInputs& inputs, const AttentionOutputs& outputs,
                         const ProfileOptions& options) try {
  const Turn turn(state_->runner.taken);
  const FloatMode mode;
  state_->runner.find_threads();
  runtime::check_options(options);
  state_->recorders.resize(state_->runner.workers.size());
  runtime::Recording recording(state_->runner.workers, state_->recorders, options);
  const Plan& plan = state_->plan_for(inputs, outputs);
  state_->execute(plan, inputs.cancel);
  recording.end();
  return runtime::make_profile(plan, recording, runtime::explain(plan, threads()));
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to profile a call");
}

void Session::append(KvCache& cache, const AttentionInputs& inputs) try {
  const Turn turn(state_->runner.taken);
  const FloatMode mode;
  state_->runner.find_threads();
  AttentionInputs given = inputs;
  given.cache = &cache;
  Plan& plan = state_->last.forget();
  plan.model = &state_->attention.model();
  runtime::read_append(*plan.model, given, state_->tables, plan.request);
  runtime::make_plan(plan, state_->tables, {state_->runner.team_threads(), state_->runner.schedule()});
  state_->execute(plan, inputs.cancel);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to append");
}

Explanation Session::explain(const AttentionInputs& inputs, const AttentionOutputs& outputs) const try {
  runtime::Tables tables;
  Plan plan;
  plan.model = &state_->attention.model();
  runtime::read_request(*plan.model, inputs, outputs, tables, plan.request);
  runtime::make_plan(plan, tables, {state_->runner.team_threads(), state_->runner.schedule()});
  return runtime::explain(plan, threads());
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to explain a call");
}

}  // namespace headwise
