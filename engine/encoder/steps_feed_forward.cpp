// What follows attention in a layer: x ← norm(x + update), twice, and the two products between.
#include "product_job.hpp"
#include "row_units.hpp"

namespace headwise::encoder {

namespace {

using runtime::Plan;
using runtime::ProductJob;
using runtime::Slab;
using runtime::Worker;

void add_norm(const Plan& plan, const Slab& slab, Worker& worker, const Norm& norm) noexcept {
  const LayerPlan& layer = layer_plan(plan);
  for_each_unit(plan, slab, worker, [&](std::int64_t first, std::int64_t count) {
    float* states = layer.rows.states + first * layer.width();
    norm_rows(layer, norm, {layer.rows.updates + first * layer.width(), states, states}, count);
  });
}

// Rows of all sequences with a first one that is not always the batch's.
struct FirstRow {
  float* data;
  std::int64_t first, width;
  float* at(std::int64_t row) const noexcept { return data + (row - first) * width; }
};

void multiply(const Plan& plan, const Slab& slab, Worker& worker, std::size_t product, const FirstRow& from,
              const FirstRow& to) noexcept {
  const Layer& layer = *layer_plan(plan).layer;
  const projection::Linear& linear = product == layer_plan(plan).up() ? layer.up : layer.down;
  const ProductJob job(plan, runtime::slab_rows(plan, slab, true), linear.max_parts());
  float* scratch = worker.memory + plan.worker.around;
  for (runtime::Chunk chunk; job.take(worker, chunk);) {
    if (!worker.multiply(product, {from.at(chunk.first), chunk.count, to.at(chunk.first)}, chunk.part, scratch)) return;
  }
}

// The hidden rows of the batch, and the inner rows, which lie in the slab where attention is done with it.
FirstRow batch_rows(const Plan& plan, float* data) noexcept {
  return {data, 0, layer_plan(plan).width()};
}
FirstRow inner_rows(const Plan& plan, const Slab& slab) noexcept {
  return {slab.memory, runtime::slab_rows(plan, slab, true).begin, layer_plan(plan).call->model->config.hidden_dim};
}

}  // namespace

void add_attention(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  add_norm(plan, slab, worker, layer_plan(plan).layer->attention_norm);
}

void feed_forward_up(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const LayerPlan& layer = layer_plan(plan);
  multiply(plan, slab, worker, layer.up(), batch_rows(plan, layer.rows.states), inner_rows(plan, slab));
}

void feed_forward_down(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const LayerPlan& layer = layer_plan(plan);
  multiply(plan, slab, worker, layer.down(), inner_rows(plan, slab), batch_rows(plan, layer.rows.updates));
}

void add_feed_forward(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  add_norm(plan, slab, worker, layer_plan(plan).layer->output_norm);
}

}  // namespace headwise::encoder
