#include "weight_outputs.hpp"

#include <algorithm>
#include <cstring>

namespace headwise::runtime {

namespace {

using kernels::Element;
using kernels::Rows;

template <class Use>
void with_type(const Plan& plan, const Use& use) noexcept {
  plan.request.element == Element::f64 ? use(double{}) : use(float{});
}

template <class T>
T* row_at(const Rows& rows, std::int64_t i) noexcept {
  return reinterpret_cast<T*>(rows.data) + i * rows.stride;
}

bool any_of_all_heads(const AttentionOutputs& o) noexcept {
  return o.average_attention.given || o.top_weights.given || o.top_keys.given || o.column_sums.given;
}

template <class T>
void add_rows(const Plan& plan, const Block& block, const Rows& rows, T* sums, std::int64_t step) noexcept {
  const std::int64_t columns = plan.request.columns();
  for (std::int64_t i = 0; i < block.count; ++i) {
    const T* row = row_at<T>(rows, i);
    T* to = sums + i * step;
    for (std::int64_t j = 0; j < columns; ++j) to[j] += row[j];
  }
}

}  // namespace

bool is_direct(const Plan& plan, const Block& block) noexcept {
  const Request& r = plan.request;
  const MutableTensorView& to = r.outputs.attention;
  const bool whole = !r.outputs.attention_heads.given && !r.outputs.attention_queries.given;
  const bool in_place = r.sizes.extra == 0 || r.sequence(block.batch).keys == r.sizes.keys;
  return to.given && whole && in_place && to.strides[3] == 1 && element_of(to.dtype) == r.element;
}

bool is_chosen(const Plan& plan, const Block& block) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  const Tables& t = plan.tables();
  const auto& heads = t.attention_heads;
  const auto& queries = t.attention_queries;
  if (o.attention_heads.given && std::find(heads.begin(), heads.end(), block.head) == heads.end()) return false;
  if (!o.attention_queries.given) return true;
  return std::any_of(queries.begin(), queries.end(),
                     [&](std::int64_t q) { return q >= block.first && q < block.first + block.count; });
}

bool wants_weights(const Plan& plan, const Block& block) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  return any_of_all_heads(o) || (o.attention.given && is_chosen(plan, block));
}

Rows weight_rows(const Plan& plan, const Worker& worker, const Block& block) noexcept {
  const Request& r = plan.request;
  if (!is_direct(plan, block)) return {worker.memory + plan.worker.weights, r.columns()};
  const Dims& s = r.outputs.attention.strides;
  const std::int64_t at = block.batch * s[0] + block.head * s[1] + block.first * s[2];
  char* data = static_cast<char*>(r.outputs.attention.data) + at * element_bytes(r.element);
  return {reinterpret_cast<float*>(data), s[2]};
}

void spread_rows(const Plan& plan, const Block& block, const Rows& rows, double fill) noexcept {
  const Sizes& s = plan.request.sizes;
  const std::int64_t keys = plan.request.sequence(block.batch).keys;
  if (keys == s.keys) return;
  with_type(plan, [&](auto type) {
    using T = decltype(type);
    for (std::int64_t i = 0; i < block.count; ++i) {
      T* row = row_at<T>(rows, i);
      std::memmove(row + s.keys, row + keys, sizeof(T) * static_cast<std::size_t>(s.extra));
      std::fill(row + keys, row + s.keys, static_cast<T>(fill));
    }
  });
}

void store_chosen(const Plan& plan, const Block& block, const Rows& rows, const MutableTensorView& to) noexcept {
  const Request& r = plan.request;
  const Tables& t = plan.tables();
  const std::int64_t heads = to.shape[1];
  const std::int64_t queries = to.shape[2];
  const char* data = reinterpret_cast<const char*>(rows.data);
  for (std::int64_t h = 0; h < heads; ++h) {
    const std::int64_t head = r.outputs.attention_heads.given ? t.attention_heads[static_cast<std::size_t>(h)] : h;
    if (head != block.head) continue;
    const bool all = !r.outputs.attention_queries.given;
    for (std::int64_t n = all ? block.first : 0; n < (all ? block.first + block.count : queries); ++n) {
      const std::int64_t i = (all ? n : t.attention_queries[static_cast<std::size_t>(n)]) - block.first;
      if (i < 0 || i >= block.count) continue;
      const std::int64_t at = block.batch * to.strides[0] + h * to.strides[1] + n * to.strides[2];
      store_row(data + i * rows.stride * element_bytes(r.element), r.element, to, {at, to.strides[3], r.columns()});
    }
  }
}

void store_weights(const Plan& plan, Worker& worker, const Block& block, const Rows& rows) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  spread_rows(plan, block, rows, 0);
  if (o.attention.given && !is_direct(plan, block)) store_chosen(plan, block, rows, o.attention);
  if (o.top_weights.given || o.top_keys.given) store_top(plan, worker, block, rows);
}

void clear_sums(const Plan& plan, Worker& worker, const AttendUnit& unit) noexcept {
  if (!plan.request.outputs.column_sums.given) return;
  std::fill_n(worker.memory + plan.worker.columns, plan.floats_for(unit.heads * plan.request.columns()), 0.0F);
}

void start_average(const Plan& plan, Worker& worker, const Block& block) noexcept {
  if (!plan.request.outputs.average_attention.given) return;
  std::fill_n(worker.memory + plan.worker.average, plan.floats_for(block.count * plan.request.columns()), 0.0F);
}

void add_to_sums(const Plan& plan, Worker& worker, const AttendUnit& unit, const Block& block,
                 const Rows& rows) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  const std::int64_t columns = plan.request.columns();
  with_type(plan, [&](auto type) {
    using T = decltype(type);
    if (o.average_attention.given) add_rows(plan, block, rows, piece<T>(worker, plan.worker.average), columns);
    if (!o.column_sums.given) return;
    add_rows(plan, block, rows, piece<T>(worker, plan.worker.columns) + (block.head - unit.head) * columns, 0);
  });
}

void store_average(const Plan& plan, Worker& worker, const Block& block) noexcept {
  const MutableTensorView& to = plan.request.outputs.average_attention;
  if (!to.given) return;
  const std::int64_t columns = plan.request.columns();
  with_type(plan, [&](auto type) {
    using T = decltype(type);
    T* sums = piece<T>(worker, plan.worker.average);
    for (std::int64_t n = 0; n < block.count * columns; ++n) sums[n] /= T(plan.request.sizes.heads);
    for (std::int64_t i = 0; i < block.count; ++i) {
      const std::int64_t at = block.batch * to.strides[0] + (block.first + i) * to.strides[1];
      store_row(sums + i * columns, plan.request.element, to, {at, to.strides[2], columns});
    }
  });
}

void store_column_sums(const Plan& plan, Worker& worker, const AttendUnit& unit) noexcept {
  const MutableTensorView& to = plan.request.outputs.column_sums;
  if (!to.given) return;
  const std::int64_t columns = plan.request.columns();
  for (std::int64_t h = 0; h < unit.heads; ++h) {
    const std::int64_t at = unit.batch * to.strides[0] + (unit.head + h) * to.strides[1];
    store_row(worker.memory + plan.worker.columns + plan.floats_for(h * columns), plan.request.element, to,
              {at, to.strides[2], columns});
  }
}

}  // namespace headwise::runtime
