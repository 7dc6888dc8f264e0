// Rows past a sequence's own length: zeros in every output, and what a row without keys has in the others.
#include <limits>

#include "worker.hpp"

namespace headwise::runtime {

namespace {

// Fills the rows from `first` on of axis `axis` for one sequence; the axes between are walked.
void fill_past(const MutableTensorView& view, std::int64_t batch, int axis, std::int64_t first, double value) noexcept {
  if (!view.given) return;
  const int rank = view.shape.rank();
  const std::int64_t outer = axis == 2 ? view.shape[1] : 1;
  const std::int64_t width = rank == axis + 2 ? view.shape[axis + 1] : 1;
  const std::int64_t step = rank == axis + 2 ? view.strides[axis + 1] : 0;
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = first; i < view.shape[axis]; ++i) {
      const std::int64_t head = axis == 2 ? o * view.strides[1] : 0;
      fill_row(view, {batch * view.strides[0] + head + i * view.strides[axis], step, width}, value);
    }
  }
}

// The chosen query rows of attention and scores that the sequence does not have.
void clear_chosen(const Plan& plan, const MutableTensorView& view, std::int64_t batch, std::int64_t queries) noexcept {
  if (!view.given) return;
  if (!plan.request.outputs.attention_queries.given) return fill_past(view, batch, 2, queries, 0);
  const auto& chosen = plan.tables().attention_queries;
  for (std::int64_t h = 0; h < view.shape[1]; ++h) {
    for (std::int64_t n = 0; n < view.shape[2]; ++n) {
      if (chosen[static_cast<std::size_t>(n)] < queries) continue;
      const Dims& s = view.strides;
      fill_row(view, {batch * s[0] + h * s[1] + n * s[2], s[3], view.shape[3]}, 0);
    }
  }
}

// A sequence without queries leaves no unit that could write its column sums.
void clear_columns(const Plan& plan, std::int64_t batch, std::int64_t queries) noexcept {
  if (queries == 0) fill_past(plan.request.outputs.column_sums, batch, 1, 0, 0);
}

}  // namespace

// A unit is a sequence.
void clear_padding(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  for (std::int64_t unit = 0; worker.take(slab.count, unit);) {
    const std::int64_t batch = slab.first + unit;
    const std::int64_t queries = plan.request.sequence(batch).queries;
    if (!plan.request.ragged) fill_past(o.output, batch, plan.model->projected ? 1 : 2, queries, 0);
    clear_chosen(plan, o.attention, batch, queries);
    clear_chosen(plan, o.scores, batch, queries);
    fill_past(o.average_attention, batch, 1, queries, 0);
    fill_past(o.top_weights, batch, 2, queries, 0);
    fill_past(o.top_keys, batch, 2, queries, -1);
    fill_past(o.log_sum_exp, batch, 2, queries, -std::numeric_limits<double>::infinity());
    fill_past(o.head_context, batch, 2, queries, 0);
    fill_past(o.head_contribution, batch, 2, queries, 0);
    clear_columns(plan, batch, queries);
  }
}

}  // namespace headwise::runtime
