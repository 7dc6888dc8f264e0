#include "encoder_plan.hpp"

#include <algorithm>

namespace headwise::encoder {

namespace {

using runtime::PlanOptions;
using runtime::Tables;

constexpr int most_outside = 4;  // steps before and behind the layers

// Cost of a step that goes through the hidden rows `times` times.
double row_bytes(const Call& call, double times) {
  return 4 * times * double(call.rows) * double(call.model->config.model_dim);
}

void add_before(EncoderPlan& plan) {
  plan.before.count = 0;
  plan.before.add({"EmbedTokens", "tokens", "hidden", embed_tokens, 0, row_bytes(plan.call, 4)});
  if (!plan.call.outputs.hidden_states.given) return;
  plan.before.add({"StoreStates", "hidden", "states", store_embeddings, 0, row_bytes(plan.call, 2)});
}

void add_product(EncoderPlan& plan, const char* name, const projection::Linear& linear, runtime::StepFunction run) {
  const projection::LinearShape& s = linear.shape();
  const double rows = double(plan.call.rows);
  const double bytes = 4 * (rows * double(s.in + s.out) + double(s.in) * double(s.out));
  const bool up = run == feed_forward_up;
  plan.layer.add({name, up ? "hidden" : "inner", up ? "inner" : "update", run, 2 * rows * double(s.in * s.out), bytes});
}

void add_layer(EncoderPlan& plan) {
  const LayerPlan& first = plan.layers.front();
  const double sums = row_bytes(plan.call, 3);
  plan.layer.count = 0;
  for (int i = 0; i < first.num_steps; ++i) plan.layer.add(first.steps[i]);
  plan.layer.add({"AddNorm", "update", "hidden", add_attention, 0, sums});
  add_product(plan, "FeedForwardUp", first.layer->up, feed_forward_up);
  add_product(plan, "FeedForwardDown", first.layer->down, feed_forward_down);
  plan.layer.add({"AddNorm", "update", "hidden", add_feed_forward, 0, sums});
  if (!plan.call.outputs.hidden_states.given) return;
  plan.layer.add({"StoreStates", "hidden", "states", store_layer, 0, row_bytes(plan.call, 2)});
}

void add_after(EncoderPlan& plan) {
  const EncoderOutputs& o = plan.call.outputs;
  plan.after.count = 0;
  if (o.hidden.given) plan.after.add({"StoreHidden", "hidden", "output", store_hidden, 0, row_bytes(plan.call, 2)});
  if (o.embedding.given) plan.after.add({"Pool", "hidden", "embedding", pool, 0, row_bytes(plan.call, 1)});
}

// The weights of one layer's heads, [B, H, longest, longest].
MutableTensorView attention_of(const EncoderOutputs& outputs, std::int64_t layer) {
  const MutableTensorView& all = outputs.attention;
  if (!all.given) return {};
  const auto bytes = static_cast<std::int64_t>(dtype_size(all.dtype));
  char* data = static_cast<char*>(all.data) + layer * all.strides[0] * bytes;
  return {data, all.dtype, Dims(all.shape.begin() + 1, 4), Dims(all.strides.begin() + 1, 4)};
}

void plan_first(EncoderPlan& plan, Tables& tables, const HiddenRows& rows, const PlanOptions& options) {
  const Encoder::Model& model = *plan.call.model;
  const Dims shape{plan.call.rows, model.config.model_dim};
  LayerPlan& first = plan.layers.front() = LayerPlan();
  first.call = &plan.call;
  first.rows = rows;
  first.model = &model.layers.front().attention.model();
  first.layer = &model.layers.front();
  first.around = {double(model.config.num_layers), 2 * double(model.config.model_dim * model.config.hidden_dim),
                  model.config.hidden_dim, worker_floats(model)};
  AttentionInputs inputs;
  inputs.query = inputs.key = inputs.value = TensorView(rows.states, DType::f32, shape);
  inputs.cumulative_query_lengths = plan.call.inputs.cumulative_lengths;
  AttentionOutputs outputs;
  outputs.output = MutableTensorView(rows.updates, DType::f32, shape);
  outputs.attention = attention_of(plan.call.outputs, 0);
  runtime::read_request(*first.model, inputs, outputs, tables, first.request);
  runtime::make_plan(first, tables, options);
}

// All layers have the shapes of the first.
void copy_to_layers(EncoderPlan& plan) {
  const Encoder::Model& model = *plan.call.model;
  for (std::size_t i = 1; i < plan.layers.size(); ++i) {
    LayerPlan& layer = plan.layers[i] = plan.layers.front();
    layer.index = static_cast<std::int64_t>(i);
    layer.layer = &model.layers[i];
    layer.model = &model.layers[i].attention.model();
    layer.first_product = i * layer_products;
    layer.request.outputs.attention = attention_of(plan.call.outputs, layer.index);
  }
}

}  // namespace

int max_steps(const Encoder::Model& model) noexcept {
  return most_outside + static_cast<int>(model.layers.size()) * StepList::most;
}

void make_plan(EncoderPlan& plan, Tables& tables, const HiddenRows& rows, const PlanOptions& options) {
  plan.layers.resize(plan.call.model->layers.size());
  plan_first(plan, tables, rows, options);
  copy_to_layers(plan);
  add_before(plan);
  add_layer(plan);
  add_after(plan);
}

void EncoderGraph::run(int step, const runtime::Slab& slab, runtime::Worker& worker) const noexcept {
  const auto go = [&](const runtime::Step& s, const LayerPlan& of) { s.run(of, slab, worker); };
  const int inside = step - whole_.before.count;
  if (inside < 0) return go(whole_.before.steps[step], whole_.layers.front());
  const auto layer = static_cast<std::size_t>(inside / whole_.layer.count);
  if (layer < whole_.layers.size()) return go(whole_.layer.steps[inside % whole_.layer.count], whole_.layers[layer]);
  const auto inner = static_cast<int>(whole_.layers.size()) * whole_.layer.count;
  go(whole_.after.steps[inside - inner], whole_.layers.back());
}

}  // namespace headwise::encoder
