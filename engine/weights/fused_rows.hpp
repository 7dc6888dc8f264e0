// Where the rows of query, key and value lie in a matrix or bias that holds several of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "headwise/weights.hpp"
#include "layouts.hpp"

namespace headwise {

// `runs` runs of `length` rows each, `step` rows from one start to the next.
struct RowRuns {
  std::int64_t first = 0, length = 0, step = 0, runs = 1;

  std::int64_t rows() const noexcept { return length * runs; }
};

struct FusedRows {
  RowRuns query, key, value;
};

// config is resolved. With FusedOrder::groups a value head is as large as a key head.
FusedRows rows_of_qkv(FusedOrder order, const AttentionConfig& config);
RowRuns key_rows_of_kv(const AttentionConfig& config);
RowRuns value_rows_of_kv(const AttentionConfig& config);

// These rows of a contiguous f32 matrix, or elements of a vector, as a tensor of its own.
Tensor take_rows(const Tensor& fused, const RowRuns& rows);
// The other way round: writes `part` to these rows of `fused`.
void put_rows(const Tensor& part, const RowRuns& rows, Tensor& fused);

}  // namespace headwise
