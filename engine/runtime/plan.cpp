#include "plan.hpp"

#include <algorithm>
#include <numeric>

namespace headwise::runtime {

namespace {

constexpr std::int64_t largest_chunk = 128;  // the largest row class of a projection

}  // namespace

bool has_dense_rows(const TensorView& view) noexcept {
  const Dims& shape = view.shape;
  const Dims& strides = view.strides;
  return view.dtype == DType::f32 && (shape[2] <= 1 || strides[2] == 1) && (shape[1] <= 1 || strides[1] == shape[2]) &&
         (shape[0] <= 1 || strides[0] == shape[1] * shape[2]);
}

// At most largest_chunk rows, in as many equal units as divide by the threads. Columns are cut first: a thread that has
// all rows reads its share of the weights once, where one with half of the rows reads all of them.
ProductCut cut_product(const Plan& plan, std::int64_t rows, std::int64_t max_parts) noexcept {
  if (rows == 0) return {};
  const std::int64_t sharers = plan.deep ? 1 : plan.threads;
  std::int64_t chunks = (rows + largest_chunk - 1) / largest_chunk;
  const std::int64_t parts = std::min(sharers / std::gcd(chunks, sharers), max_parts);
  const std::int64_t step = sharers / std::gcd(sharers, parts);
  chunks = (chunks + step - 1) / step * step;
  return {(rows + chunks - 1) / chunks, parts};
}

std::int64_t max_chunk_rows(std::int64_t rows) noexcept {
  return std::min(largest_chunk, (rows + 15) / 16 * 16);
}

bool has_adjacent_elements(const TensorView& view) noexcept {
  return view.strides[3] == 1 || view.shape[3] == 1;
}

bool is_in_place(const Plan& plan, const TensorView& view) noexcept {
  return has_adjacent_elements(view) && element_of(view.dtype) == plan.request.element;
}

bool positions_queries(const Model& model) noexcept {
  return model.query_norm.given() || model.config.rotary.dim > 0;
}
bool positions_keys(const Model& model) noexcept {
  return model.key_norm.given() || model.config.rotary.dim > 0;
}

bool gathers_queries(const Plan& plan) noexcept {
  return !is_in_place(plan, plan.request.query) || positions_queries(*plan.model);
}
// The kernels read keys and values of any float type, the cache takes f32.
bool gathers_keys(const Plan& plan) noexcept {
  if (!plan.request.key.given) return false;
  if (plan.keys_are_cached() && plan.request.key.dtype != DType::f32) return true;
  return !has_adjacent_elements(plan.request.key) || positions_keys(*plan.model);
}
bool gathers_values(const Plan& plan) noexcept {
  if (!plan.request.value.given) return false;
  if (plan.keys_are_cached() && plan.request.value.dtype != DType::f32) return true;
  return !has_adjacent_elements(plan.request.value);
}

void make_plan(Plan& plan, Tables& tables, const PlanOptions& options) {
  count_work(plan, tables);
  add_steps(plan);
  choose_schedule(plan, tables, options);
}

}  // namespace headwise::runtime
