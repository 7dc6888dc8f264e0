// Token ids become rows, and rows go where the caller wants them.
#include "numbers.hpp"
#include "row_units.hpp"

namespace headwise::encoder {

namespace {

using runtime::Plan;
using runtime::Sequence;
using runtime::Slab;
using runtime::Worker;

std::int64_t id_of(const TensorView& ids, std::int64_t row) noexcept {
  return ids.given ? id_at(ids, row * ids.strides[0]) : 0;
}

// The sequence that holds a row; those before it end there or earlier.
const Sequence* sequence_at(const Plan& plan, std::int64_t row) noexcept {
  const auto& all = plan.tables().sequences;
  const auto past = std::upper_bound(all.begin(), all.end() - 1, row,
                                     [](std::int64_t r, const Sequence& sequence) { return r < sequence.query_row; });
  return &*(past - 1);
}

void add_tables(const LayerPlan& plan, std::int64_t row, float* to) noexcept {
  const Encoder::Model& model = *plan.call->model;
  const std::int64_t width = plan.width();
  const float* word = model.words.data() + id_of(plan.call->inputs.token_ids, row) * width;
  if (!model.token_types.given()) {
    std::copy_n(word, width, to);
    return;
  }
  const float* type = model.token_types.data() + id_of(plan.call->inputs.token_types, row) * width;
  for (std::int64_t i = 0; i < width; ++i) to[i] = word[i] + type[i];
}

// Rows of one sequence: their positions follow each other.
void embed_rows(const LayerPlan& plan, std::int64_t row, std::int64_t count, std::int64_t position) noexcept {
  const Encoder::Model& model = *plan.call->model;
  const std::int64_t width = plan.width();
  float* rows = plan.rows.states + row * width;
  for (std::int64_t i = 0; i < count; ++i) add_tables(plan, row + i, rows + i * width);
  kernels::NormTask task{};
  task.x = task.y = rows;
  task.residual = model.positions.data() + (model.config.first_position + position) * width;
  task.gamma = model.embedding_norm.gamma.data();
  task.beta = model.embedding_norm.beta.data();
  task.rows = count;
  task.columns = task.x_stride = task.residual_stride = task.y_stride = width;
  task.epsilon = static_cast<float>(model.config.layer_norm_epsilon);
  model.kernels->layer_norm(task);
}

void store(const Plan& plan, const Slab& slab, Worker& worker, const MutableTensorView& to,
           std::int64_t first) noexcept {
  const LayerPlan& layer = layer_plan(plan);
  const std::int64_t width = layer.width();
  const int axis = to.shape.rank() - 2;
  for_each_unit(plan, slab, worker, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t row = begin; row < begin + count; ++row) {
      runtime::store_row(layer.rows.states + row * width, kernels::Element::f32, to,
                         {first + row * to.strides[axis], to.strides[axis + 1], width});
    }
  });
}

void store_state(const Plan& plan, const Slab& slab, Worker& worker, std::int64_t index) noexcept {
  const MutableTensorView& to = layer_plan(plan).call->outputs.hidden_states;
  store(plan, slab, worker, to, index * to.strides[0]);
}

}  // namespace

void embed_tokens(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  for_each_unit(plan, slab, worker, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t row = begin; row < begin + count;) {
      const Sequence& sequence = *sequence_at(plan, row);
      const std::int64_t end = std::min(begin + count, sequence.query_row + sequence.queries);
      embed_rows(layer_plan(plan), row, end - row, row - sequence.query_row);
      row = end;
    }
  });
}

void store_embeddings(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  store_state(plan, slab, worker, 0);
}
void store_layer(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  store_state(plan, slab, worker, layer_plan(plan).index + 1);
}
void store_hidden(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  store(plan, slab, worker, layer_plan(plan).call->outputs.hidden, 0);
}

}  // namespace headwise::encoder
