#include "fused_rows.hpp"

#include <algorithm>

namespace headwise {

FusedRows rows_of_qkv(FusedOrder order, const AttentionConfig& c) {
  const std::int64_t query = c.num_heads * c.head_dim, key = c.num_kv_heads * c.head_dim;
  if (order == FusedOrder::blocks) return {{0, query}, {query, key}, {query + key, c.num_kv_heads * c.value_dim}};
  const std::int64_t queries = query / c.num_kv_heads, step = queries + 2 * c.head_dim, groups = c.num_kv_heads;
  return {{0, queries, step, groups},
          {queries, c.head_dim, step, groups},
          {queries + c.head_dim, c.head_dim, step, groups}};
}

RowRuns key_rows_of_kv(const AttentionConfig& config) {
  return {0, config.num_kv_heads * config.head_dim};
}

RowRuns value_rows_of_kv(const AttentionConfig& config) {
  return {config.num_kv_heads * config.head_dim, config.num_kv_heads * config.value_dim};
}

Tensor take_rows(const Tensor& fused, const RowRuns& rows) {
  Dims shape = fused.shape();
  const std::int64_t row_size = fused.size() / shape[0];
  shape[0] = rows.rows();
  Tensor part(shape);
  float* to = part.data();
  for (std::int64_t run = 0; run < rows.runs; ++run) {
    to = std::copy_n(fused.data() + (rows.first + run * rows.step) * row_size, rows.length * row_size, to);
  }
  return part;
}

void put_rows(const Tensor& part, const RowRuns& rows, Tensor& fused) {
  const std::int64_t row_size = fused.size() / fused.shape()[0];
  const float* from = part.data();
  for (std::int64_t run = 0; run < rows.runs; ++run) {
    std::copy_n(from, rows.length * row_size, fused.data() + (rows.first + run * rows.step) * row_size);
    from += rows.length * row_size;
  }
}

}  // namespace headwise
