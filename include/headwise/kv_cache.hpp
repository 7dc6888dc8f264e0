// Keys and values of tokens that were seen before, so that a new token costs one row of projections.
#pragma once

#include <cstdint>
#include <vector>

#include "headwise/memory.hpp"
#include "headwise/weights.hpp"

namespace headwise {

struct KvCacheOptions {
  std::int64_t batch = 1;
  std::int64_t capacity = 0;  // tokens of a row
  DType dtype = DType::f32;   // of the storage: f32, f16 or bf16
  bool circular = false;      // a full row forgets its oldest tokens instead of refusing new ones
  Allocator allocator{};      // of keys and values, also of those of a fork
};

// Keys and values after projection, normalisation and rotation, [B, Hkv, capacity, size]. Token p of a row lies in slot
// p, or p mod capacity when the cache is circular. One writer at a time; moves are cheap, fork() copies.
class HEADWISE_API KvCache {
 public:
  // Takes num_kv_heads, head_dim and value_dim from config. Throws Error(invalid_argument or out_of_memory).
  KvCache(const AttentionConfig& config, const KvCacheOptions& options);

  std::int64_t batch() const noexcept { return options_.batch; }
  std::int64_t capacity() const noexcept { return options_.capacity; }
  DType dtype() const noexcept { return options_.dtype; }
  bool circular() const noexcept { return options_.circular; }
  // Tokens appended to a row so far, which is also the position of the next one.
  std::int64_t length(std::int64_t row) const;
  // The position of the oldest token that the row still holds: 0 unless the cache is circular.
  std::int64_t oldest(std::int64_t row) const;

  // Appends count tokens to every row: key [B, Hkv, n, head_dim], value [B, Hkv, n, value_dim], f32, f16 or bf16, any
  // strides. counts (i32 or i64 [B]) says how many of the n each row takes, all when not given. A row that would
  // overflow a cache that is not circular is an error, and so is n > capacity; nothing is written then.
  void append(const TensorView& key, const TensorView& value, const TensorView& counts = {});
  // Forgets the tokens of a row at and past position `length`, which must be held or be the next one.
  void truncate(std::int64_t row, std::int64_t length);
  // Forgets the last `count` tokens of a row.
  void roll_back(std::int64_t row, std::int64_t count);
  void clear() noexcept;
  // An independent copy of all rows.
  KvCache fork() const;
  // Row `to` becomes a copy of row `from` (beam search).
  void copy_row(std::int64_t from, std::int64_t to);

  TensorView keys() const noexcept { return keys_.view(); }      // [B, Hkv, capacity, head_dim]
  TensorView values() const noexcept { return values_.view(); }  // [B, Hkv, capacity, value_dim]

  struct HEADWISE_LOCAL Access;  // for Session

 private:
  friend struct Access;
  void check_row(std::int64_t row) const;

  KvCacheOptions options_;
  Tensor keys_, values_;
  std::vector<std::int64_t> lengths_, oldest_;
};

// Writes the rows of update [B, …, n, size] into cache [B, …, capacity, size] from row write_indices[b] on (i32 or i64
// [B]; 0 when not given), modulo the capacity when circular. Both have the same dtype and any strides. Throws
// Error(invalid_argument) before anything is written when a row does not fit.
HEADWISE_API void scatter_rows(const MutableTensorView& cache, const TensorView& update,
                               const TensorView& write_indices, bool circular = false);

}  // namespace headwise
