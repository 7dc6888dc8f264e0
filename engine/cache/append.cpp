#include "cache_access.hpp"
#include "numbers.hpp"
#include "out_of_memory.hpp"
#include "view_checks.hpp"
#include "views.hpp"

namespace headwise {
namespace {

void check_part(const char* name, const TensorView& rows, const Dims& expected, const KvCache& cache) {
  require_readable(name, rows, {DType::f32, DType::f16, DType::bf16});
  require_shape(name, rows, expected);
  require_apart(name, rows, "the keys of the cache", cache.keys());
  require_apart(name, rows, "the values of the cache", cache.values());
}

// Not given: every row takes all.
Tensor read_counts(const TensorView& counts, std::int64_t batch) {
  if (!counts.given) return {};
  require_readable("counts", counts, id_types);
  require_shape("counts", counts, {batch});
  return convert(counts, DType::i64);
}

// Same type: bits; otherwise one rounding.
void store_line(const ConstLine& from, const Line& to, std::int64_t count) noexcept {
  if (from.view.dtype == to.view.dtype) return copy_line(from, to, count);
  for (std::int64_t i = 0; i < count; ++i) {
    store_float(to.view, to.offset + i * to.stride, float_at(from.view, from.offset + i * from.stride));
  }
}

// counts[b] rows of every head go to the slots from lengths[b] on.
struct Placement {
  const std::int64_t* counts;
  const std::int64_t* lengths;
};

void store_part(const TensorView& rows, const MutableTensorView& storage, const Placement& placement) noexcept {
  const std::int64_t width = rows.shape[3];
  for_each_index({rows.shape[0], rows.shape[1], rows.shape[2]}, [&](const Dims& index) {
    const std::int64_t b = index[0], head = index[1], token = index[2];
    if (placement.counts != nullptr && token >= placement.counts[b]) return;
    const std::int64_t slot = (placement.lengths[b] + token) % storage.shape[2];
    store_line({rows, element_offset(rows, {b, head, token, 0}), rows.strides[3]},
               {storage, element_offset(storage, {b, head, slot, 0}), 1}, width);
  });
}

}  // namespace

void KvCache::append(const TensorView& key, const TensorView& value, const TensorView& counts) try {
  if (!keys_.given()) refuse("cache", "was moved from");
  const std::int64_t n = key.shape.rank() == 4 ? key.shape[2] : 1;
  check_part("key", key, {batch(), Access::kv_heads(*this), n, Access::head_dim(*this)}, *this);
  check_part("value", value, {batch(), Access::kv_heads(*this), n, Access::value_dim(*this)}, *this);
  const Tensor numbers = read_counts(counts, batch());
  const std::int64_t* each = numbers.given() ? numbers.data<std::int64_t>() : nullptr;
  Access::prepare(*this, each, n);
  store_part(key, keys_.mutable_view(), {each, lengths_.data()});
  store_part(value, values_.mutable_view(), {each, lengths_.data()});
  for (std::int64_t row = 0; row < batch(); ++row) Access::commit(*this, row, each == nullptr ? n : each[row]);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to append to a cache");
}

}  // namespace headwise
