#include "encoder_plan.hpp"
#include "float_mode.hpp"
#include "out_of_memory.hpp"

namespace headwise {

using encoder::EncoderPlan;
using encoder::HiddenRows;

namespace {

std::vector<const projection::Linear*> products_of(const Encoder::Model& model) {
  std::vector<const projection::Linear*> result;
  for (const encoder::Layer& layer : model.layers) {
    for (const projection::Linear* linear : runtime::products_of(layer.attention.model())) result.push_back(linear);
    result.push_back(&layer.up);
    result.push_back(&layer.down);
  }
  return result;
}

// Both in one tensor.
HiddenRows hidden_rows(Tensor& memory) {
  return {memory.data(), memory.data() + memory.size() / 2};
}

std::int64_t hidden_floats(const EncoderPlan& plan) {
  return 2 * plan.call.rows * plan.call.model->config.model_dim;
}

}  // namespace

struct EncoderSession::State {
  Encoder encoder;
  runtime::Runner runner;
  runtime::Tables tables;
  EncoderPlan plan;
  Tensor hidden;

  State(const Encoder& model, const SessionOptions& options)
      : encoder(model), runner(products_of(encoder.model()), encoder::max_steps(encoder.model()), options) {}

  // Grows by need only.
  HiddenRows reserve() {
    const std::int64_t floats = hidden_floats(plan);
    if (!hidden.given() || hidden.size() < floats) {
      hidden = Tensor();  // give the old piece back first
      hidden = Tensor(DType::f32, {floats}, runner.allocator());
    }
    return hidden_rows(hidden);
  }
};

EncoderSession::EncoderSession(const Encoder& encoder, const SessionOptions& options) try
    : state_(std::make_unique<State>(encoder, options)) {
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a session");
}

EncoderSession::EncoderSession(EncoderSession&&) noexcept = default;
EncoderSession& EncoderSession::operator=(EncoderSession&&) noexcept = default;
EncoderSession::~EncoderSession() = default;

int EncoderSession::threads() const noexcept {
  return state_->runner.threads();
}

void EncoderSession::run(const EncoderInputs& inputs, const EncoderOutputs& outputs) try {
  State& s = *state_;
  const runtime::Turn turn(s.runner.taken);
  const FloatMode mode;
  s.runner.find_threads();
  encoder::read_call(s.encoder.model(), inputs, outputs, s.plan.call);
  encoder::make_plan(s.plan, s.tables, s.reserve(), {s.runner.team_threads(), s.runner.schedule()});
  s.runner.execute(encoder::EncoderGraph(s.plan), inputs.cancel);
  s.runner.report_failure();
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to run a call");
}

Explanation EncoderSession::explain(const EncoderInputs& inputs, const EncoderOutputs& outputs) const try {
  const State& s = *state_;
  EncoderPlan plan;
  runtime::Tables tables;
  encoder::read_call(s.encoder.model(), inputs, outputs, plan.call);
  Tensor hidden({hidden_floats(plan)});
  encoder::make_plan(plan, tables, hidden_rows(hidden), {s.runner.team_threads(), s.runner.schedule()});
  return encoder::explain(plan, threads());
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to explain a call");
}

}  // namespace headwise
