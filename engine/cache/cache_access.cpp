#include "cache_access.hpp"

#include <algorithm>
#include <string>

#include "checked.hpp"
#include "convert.hpp"
#include "view_checks.hpp"

namespace headwise {
namespace {

const char* head_address(const TensorView& storage, std::int64_t row, std::int64_t head) noexcept {
  const std::int64_t first = (row * storage.shape[1] + head) * storage.shape[2] * storage.shape[3];
  return static_cast<const char*>(storage.data) + first * static_cast<std::int64_t>(dtype_size(storage.dtype));
}

void write_part(const MutableTensorView& storage, const CachePlace& place, const CacheRows& rows, std::int64_t count) {
  if (rows.data == nullptr) return;
  const std::int64_t capacity = storage.shape[2], width = storage.shape[3];
  const std::int64_t slot_bytes = width * static_cast<std::int64_t>(dtype_size(storage.dtype));
  char* head = const_cast<char*>(head_address(storage, place.row, place.head));
  std::int64_t slot = place.position % capacity;
  for (std::int64_t i = 0; i < count; ++i) {
    convert_elements(rows.data + i * rows.stride, DType::f32, head + slot * slot_bytes, storage.dtype, width);
    slot = slot + 1 == capacity ? 0 : slot + 1;
  }
}

void check_room(const KvCache& cache, std::int64_t row, std::int64_t count) {
  const std::int64_t length = KvCache::Access::length(cache, row);
  const auto after = checked_add(length, count);
  if (after && (cache.circular() || *after <= cache.capacity())) return;
  refuse("cache", "holds " + std::to_string(length) + " of " + std::to_string(cache.capacity()) + " tokens in row " +
                      std::to_string(row) + "; " + std::to_string(count) + " more do not fit");
}

}  // namespace

void KvCache::Access::prepare(const KvCache& cache, const std::int64_t* counts, std::int64_t n) {
  if (!cache.keys_.given()) refuse("cache", "was moved from");
  if (n < 0 || n > cache.capacity()) {
    refuse("cache", "of " + std::to_string(cache.capacity()) + " tokens a row cannot take " + std::to_string(n) +
                        " tokens at once");
  }
  for (std::int64_t row = 0; row < cache.batch(); ++row) {
    const std::int64_t count = counts == nullptr ? n : counts[row];
    if (count < 0 || count > n) {
      refuse("counts", "holds " + std::to_string(count) + " for row " + std::to_string(row) + "; expected 0 to " +
                           std::to_string(n));
    }
    check_room(cache, row, count);
  }
}

void KvCache::Access::write_rows(KvCache& cache, const CachePlace& place, const CacheRows& key, const CacheRows& value,
                                 std::int64_t count) noexcept {
  write_part(cache.keys_.mutable_view(), place, key, count);
  write_part(cache.values_.mutable_view(), place, value, count);
}

std::int64_t KvCache::Access::oldest_after(const KvCache& cache, std::int64_t row, std::int64_t count) noexcept {
  return std::max(oldest(cache, row), length(cache, row) + count - cache.capacity());
}

void KvCache::Access::commit(KvCache& cache, std::int64_t row, std::int64_t count) noexcept {
  const auto at = static_cast<std::size_t>(row);
  cache.oldest_[at] = oldest_after(cache, row, count);
  cache.lengths_[at] += count;
}

void KvCache::Access::abandon(KvCache& cache, std::int64_t row, std::int64_t count) noexcept {
  cache.oldest_[static_cast<std::size_t>(row)] = oldest_after(cache, row, count);
}

const void* KvCache::Access::key_data(const KvCache& cache, std::int64_t row, std::int64_t head) noexcept {
  return head_address(cache.keys_.view(), row, head);
}

const void* KvCache::Access::value_data(const KvCache& cache, std::int64_t row, std::int64_t head) noexcept {
  return head_address(cache.values_.view(), row, head);
}

}  // namespace headwise
