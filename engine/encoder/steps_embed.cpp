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

// Summed in double: one rounding where torch has two, which all layers inherit.
void add_tables(const LayerPlan& plan, std::int64_t row, std::int64_t position, float* to) noexcept {
  const Encoder::Model& model = *plan.call->model;
  const std::int64_t width = plan.width();
  const auto row_of = [&](const Tensor& table, std::int64_t id) { return table.data() + id * width; };
  const float* words = row_of(model.words, id_of(plan.call->inputs.token_ids, row));
  const float* positions = row_of(model.positions, position);
  if (!model.token_types.given()) {
    for (std::int64_t i = 0; i < width; ++i) to[i] = words[i] + positions[i];
    return;
  }
  const float* types = row_of(model.token_types, id_of(plan.call->inputs.token_types, row));
  for (std::int64_t i = 0; i < width; ++i) to[i] = float(double(words[i]) + double(types[i]) + double(positions[i]));
}

// RoBERTa's positions start behind that of its padding token, which has one place wherever it stands and does not
// count, as transformers has it. No id is −1, as it would be for BERT.
std::int64_t padding_id(const LayerPlan& plan) noexcept {
  return plan.call->model->config.first_position - 1;
}

// Tokens that count among rows of a sequence.
std::int64_t count_tokens(const LayerPlan& plan, std::int64_t row, std::int64_t end) noexcept {
  const std::int64_t padding = padding_id(plan);
  if (padding < 0) return end - row;
  std::int64_t count = 0;
  for (; row < end; ++row) count += id_of(plan.call->inputs.token_ids, row) == padding ? 0 : 1;
  return count;
}

// Rows of the sequence that starts at row `first`.
void embed_rows(const LayerPlan& plan, std::int64_t first, std::int64_t row, std::int64_t count) noexcept {
  const std::int64_t padding = padding_id(plan);
  std::int64_t next = padding + 1 + count_tokens(plan, first, row);
  float* rows = plan.rows.states + row * plan.width();
  for (std::int64_t i = 0; i < count; ++i) {
    const bool counts = id_of(plan.call->inputs.token_ids, row + i) != padding;
    add_tables(plan, row + i, counts ? next++ : padding, rows + i * plan.width());
  }
  norm_rows(plan, plan.call->model->embedding_norm, {rows, nullptr, rows}, count);
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
      embed_rows(layer_plan(plan), sequence.query_row, row, end - row);
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
