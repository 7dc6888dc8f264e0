#include "headwise/kv_cache.hpp"

#include <cstring>
#include <string>

#include "cache_access.hpp"
#include "out_of_memory.hpp"
#include "view_checks.hpp"

namespace headwise {
namespace {

void check_options(const KvCacheOptions& options) {
  if (options.batch < 0) refuse("batch", "is negative: " + std::to_string(options.batch));
  if (options.capacity < 1) {
    refuse("capacity", "is " + std::to_string(options.capacity) + "; expected at least one token");
  }
  const auto type = options.dtype;
  if (type == DType::f32 || type == DType::f16 || type == DType::bf16) return;
  const bool known = type <= DType::boolean;
  refuse("dtype", std::string("must be f32, f16 or bf16, not ") + (known ? dtype_name(type) : "an unknown type"));
}

// The first `slots` rows of every head of a sequence.
void copy_slots(const MutableTensorView& storage, std::int64_t from, std::int64_t to, std::int64_t slots) noexcept {
  const auto size = static_cast<std::int64_t>(dtype_size(storage.dtype));
  const std::int64_t head_bytes = storage.shape[2] * storage.shape[3] * size;
  char* data = static_cast<char*>(storage.data);
  for (std::int64_t head = 0; head < storage.shape[1]; ++head) {
    std::memcpy(data + (to * storage.shape[1] + head) * head_bytes,
                data + (from * storage.shape[1] + head) * head_bytes,
                static_cast<std::size_t>(slots * storage.shape[3] * size));
  }
}

}  // namespace

KvCache::KvCache(const AttentionConfig& config, const KvCacheOptions& options) try : options_(options) {
  check_options(options);
  const AttentionConfig sizes = resolve(config);
  keys_ =
      Tensor(options.dtype, {options.batch, sizes.num_kv_heads, options.capacity, sizes.head_dim}, options.allocator);
  values_ =
      Tensor(options.dtype, {options.batch, sizes.num_kv_heads, options.capacity, sizes.value_dim}, options.allocator);
  lengths_.assign(static_cast<std::size_t>(options.batch), 0);
  oldest_ = lengths_;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("cannot allocate the lengths of a cache");
}

// A cache that was moved from has no rows.
void KvCache::check_row(std::int64_t row) const try {
  const auto rows = static_cast<std::int64_t>(lengths_.size());
  if (row >= 0 && row < rows) return;
  refuse("row", "is " + std::to_string(row) + "; the cache has " + std::to_string(rows) + " rows");
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a row");
}

std::int64_t KvCache::length(std::int64_t row) const {
  check_row(row);
  return Access::length(*this, row);
}

std::int64_t KvCache::oldest(std::int64_t row) const {
  check_row(row);
  return Access::oldest(*this, row);
}

void KvCache::truncate(std::int64_t row, std::int64_t length) try {
  check_row(row);
  const std::int64_t first = Access::oldest(*this, row), next = Access::length(*this, row);
  if (length < first || length > next) {
    refuse("length", "is " + std::to_string(length) + "; row " + std::to_string(row) + " can be cut at " +
                         std::to_string(first) + " to " + std::to_string(next));
  }
  lengths_[static_cast<std::size_t>(row)] = length;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a length");
}

void KvCache::roll_back(std::int64_t row, std::int64_t count) try {
  check_row(row);
  const std::int64_t held = Access::length(*this, row) - Access::oldest(*this, row);
  if (count < 0 || count > held) {
    refuse("count", "is " + std::to_string(count) + "; row " + std::to_string(row) + " holds " + std::to_string(held) +
                        " tokens");
  }
  lengths_[static_cast<std::size_t>(row)] -= count;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a count");
}

void KvCache::clear() noexcept {
  for (std::int64_t& length : lengths_) length = 0;
  for (std::int64_t& oldest : oldest_) oldest = 0;
}

KvCache KvCache::fork() const try { return *this; } catch (const std::bad_alloc&) {
  throw_out_of_memory("cannot allocate the lengths of a forked cache");
}

void KvCache::copy_row(std::int64_t from, std::int64_t to) {
  check_row(from);
  check_row(to);
  if (from == to) return;
  const auto source = static_cast<std::size_t>(from), target = static_cast<std::size_t>(to);
  // Slots fill in order, so what lies past the length was never written.
  const std::int64_t slots = std::min(lengths_[source], options_.capacity);
  copy_slots(keys_.mutable_view(), from, to, slots);
  copy_slots(values_.mutable_view(), from, to, slots);
  lengths_[target] = lengths_[source];
  oldest_[target] = oldest_[source];
}

}  // namespace headwise
