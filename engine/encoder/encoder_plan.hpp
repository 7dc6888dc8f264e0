// A call of an encoder as data: steps before the layers, those that every layer repeats, and steps behind them. Those
// of attention are runtime's own, on a plan that is made once for the batch and copied for each layer.
#pragma once

#include "encoder_call.hpp"
#include "runner.hpp"

namespace headwise::encoder {

// Rows of all sequences, [rows, D]: those that the layers read and change, and what a layer adds to them.
struct HiddenRows {
  float* states = nullptr;
  float* updates = nullptr;
};

// What the steps of a layer get. Steps outside of the layers get that of the first or the last.
struct LayerPlan : runtime::Plan {
  const Call* call = nullptr;
  const Layer* layer = nullptr;
  std::int64_t index = 0;
  HiddenRows rows;

  std::int64_t width() const noexcept { return call->model->config.model_dim; }
  std::size_t up() const noexcept { return first_product + up_product; }
  std::size_t down() const noexcept { return first_product + down_product; }
};

// What every step of this room begins with: runtime hands on the plan as its own kind.
inline const LayerPlan& layer_plan(const runtime::Plan& plan) noexcept {
  return static_cast<const LayerPlan&>(plan);
}

struct StepList {
  static constexpr int most = runtime::Plan::max_steps + 8;
  runtime::Step steps[most];
  int count = 0;
  void add(const runtime::Step& step) noexcept { steps[count++] = step; }
};

struct EncoderPlan {
  Call call;
  std::vector<LayerPlan> layers;  // one a layer of the model
  StepList before, layer, after;

  int num_steps() const noexcept { return before.count + layer.count * static_cast<int>(layers.size()) + after.count; }
};

// The most steps that a plan of this model has.
int max_steps(const Encoder::Model& model) noexcept;

// Plans a call that was read. Allocates in tables that are too small, and the plans of the layers once.
void make_plan(EncoderPlan& plan, runtime::Tables& tables, const HiddenRows& rows, const runtime::PlanOptions& options);

class EncoderGraph final : public runtime::Graph {
 public:
  explicit EncoderGraph(const EncoderPlan& whole) noexcept
      : Graph(whole.layers.front(), whole.num_steps()), whole_(whole) {}
  void run(int step, const runtime::Slab& slab, runtime::Worker& worker) const noexcept override;

 private:
  const EncoderPlan& whole_;
};

// steps_*.cpp
void embed_tokens(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void add_attention(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void feed_forward_up(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void feed_forward_down(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void add_feed_forward(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void store_embeddings(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void store_layer(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void store_hidden(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;
void pool(const runtime::Plan&, const runtime::Slab&, runtime::Worker&) noexcept;

// Floats of a worker that these steps need for themselves, in Plan::worker.around.
std::int64_t worker_floats(const Encoder::Model& model) noexcept;

Explanation explain(const EncoderPlan& plan, int session_threads);

}  // namespace headwise::encoder
