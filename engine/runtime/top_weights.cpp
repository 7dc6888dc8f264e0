// The largest weights of each row.
#include <algorithm>
#include <cmath>

#include "weight_outputs.hpp"

namespace headwise::runtime {

namespace {

// NaN stands before every number, ties go to the lower key.
template <class T>
bool comes_first(T a, T b, std::int64_t key_a, std::int64_t key_b) noexcept {
  if (std::isnan(a) != std::isnan(b)) return std::isnan(a);
  return a > b || (!(a < b) && key_a < key_b);
}

// Keys whose weight is not 0, the largest `wanted` first; returns how many of those there are.
template <class T>
std::int64_t pick(const T* row, std::int64_t columns, std::int64_t wanted, std::int64_t* keys) noexcept {
  std::int64_t count = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    if (row[j] != 0) keys[count++] = j;
  }
  const std::int64_t top = std::min(wanted, count);
  std::partial_sort(keys, keys + top, keys + count,
                    [&](std::int64_t a, std::int64_t b) { return comes_first(row[a], row[b], a, b); });
  return top;
}

template <class T>
void store_row_top(const Plan& plan, const Block& block, std::int64_t i, const T* row, std::int64_t* keys) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  const std::int64_t wanted = (o.top_weights.given ? o.top_weights : o.top_keys).shape[3];
  const std::int64_t top = pick(row, plan.request.columns(), wanted, keys);
  const auto store = [&](const MutableTensorView& to, std::int64_t k, double value) {
    const Dims& s = to.strides;
    const std::int64_t at = block.batch * s[0] + block.head * s[1] + (block.first + i) * s[2] + k * s[3];
    fill_row(to, {at, 1, 1}, value);
  };
  for (std::int64_t k = 0; k < wanted; ++k) {
    if (o.top_weights.given) store(o.top_weights, k, k < top ? double(row[keys[k]]) : 0);
    if (o.top_keys.given) store(o.top_keys, k, k < top ? double(keys[k]) : -1);
  }
}

}  // namespace

void store_top(const Plan& plan, Worker& worker, const Block& block, const kernels::Rows& rows) noexcept {
  auto* keys = piece<std::int64_t>(worker, plan.worker.top);
  for (std::int64_t i = 0; i < block.count; ++i) {
    if (plan.request.element == kernels::Element::f64) {
      store_row_top(plan, block, i, reinterpret_cast<const double*>(rows.data) + i * rows.stride, keys);
    } else {
      store_row_top(plan, block, i, rows.data + i * rows.stride, keys);
    }
  }
}

}  // namespace headwise::runtime
