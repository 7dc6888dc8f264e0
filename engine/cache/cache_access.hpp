// What Session does with a cache: prepare before anything is written, write_rows from any thread, commit at the end.
#pragma once

#include "headwise/kv_cache.hpp"

namespace headwise {

// Adjacent f32 numbers in each row; stride counts floats between rows. data == nullptr: this part is not written.
struct CacheRows {
  const float* data;
  std::int64_t stride;
};

// Where rows of one head go: slot position mod capacity and the slots behind it.
struct CachePlace {
  std::int64_t row, head, position;
};

struct KvCache::Access {
  // Throws Error(invalid_argument) unless row b can take counts[b] more tokens (n when counts is nullptr). counts has
  // batch numbers of 0 to n. Writes nothing.
  static void prepare(const KvCache& cache, const std::int64_t* counts, std::int64_t n);

  // Stores count rows of f32 in the type of the cache at positions place.position … + count − 1. Safe to call from
  // several threads for different (row, head), or different slots of one head. Lengths do not change. Needs
  // count ≤ capacity and 0 ≤ position.
  static void write_rows(KvCache& cache, const CachePlace& place, const CacheRows& key, const CacheRows& value,
                         std::int64_t count) noexcept;

  // The row has count tokens more; a circular one forgets those that were overwritten. One thread at a time a row.
  static void commit(KvCache& cache, std::int64_t row, std::int64_t count) noexcept;

  // Tokens that were being written did not come to be: the row keeps its length, and a circular one forgets those
  // whose slots were meant for the new ones. One thread at a time a row.
  static void abandon(KvCache& cache, std::int64_t row, std::int64_t count) noexcept;

  // What oldest() will be after count more tokens.
  static std::int64_t oldest_after(const KvCache& cache, std::int64_t row, std::int64_t count) noexcept;

  static std::int64_t kv_heads(const KvCache& cache) noexcept { return cache.keys_.shape()[1]; }
  static std::int64_t head_dim(const KvCache& cache) noexcept { return cache.keys_.shape()[3]; }
  static std::int64_t value_dim(const KvCache& cache) noexcept { return cache.values_.shape()[3]; }
  static std::int64_t length(const KvCache& cache, std::int64_t row) noexcept {
    return cache.lengths_[static_cast<std::size_t>(row)];
  }
  static std::int64_t oldest(const KvCache& cache, std::int64_t row) noexcept {
    return cache.oldest_[static_cast<std::size_t>(row)];
  }
  // Tokens of a row before slot 0 comes up again, seen from a position: the split of a wrapped read.
  static std::int64_t slot(const KvCache& cache, std::int64_t position) noexcept {
    return position % cache.options_.capacity;
  }
  static std::int64_t split(const KvCache& cache, std::int64_t position) noexcept {
    return cache.options_.capacity - slot(cache, position);
  }

  // Slot 0 of one head, of type cache.dtype(). Slots are adjacent (key_stride, value_stride elements apart), and heads
  // lie capacity · stride elements apart.
  static const void* key_data(const KvCache& cache, std::int64_t row, std::int64_t head) noexcept;
  static const void* value_data(const KvCache& cache, std::int64_t row, std::int64_t head) noexcept;
  static std::int64_t key_stride(const KvCache& cache) noexcept { return head_dim(cache); }
  static std::int64_t value_stride(const KvCache& cache) noexcept { return value_dim(cache); }
  static std::int64_t key_head_stride(const KvCache& cache) noexcept {
    return cache.options_.capacity * head_dim(cache);
  }
  static std::int64_t value_head_stride(const KvCache& cache) noexcept {
    return cache.options_.capacity * value_dim(cache);
  }
};

}  // namespace headwise
