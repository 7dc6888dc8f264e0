#include <string>

#include "headwise/kv_cache.hpp"
#include "numbers.hpp"
#include "out_of_memory.hpp"
#include "view_checks.hpp"
#include "views.hpp"

namespace headwise {
namespace {

void check_shapes(const MutableTensorView& cache, const TensorView& update) {
  require_writable("cache", cache, all_types);
  const int rank = cache.shape.rank();
  if (rank < 3) refuse("cache", "has shape " + to_string(cache.shape) + "; expected [B, …, capacity, size]");
  require_readable("update", update, all_types);
  if (update.dtype != cache.dtype) {
    refuse("update",
           std::string("must be ") + dtype_name(cache.dtype) + " as the cache, not " + dtype_name(update.dtype));
  }
  Dims expected = cache.shape;
  if (update.shape.rank() == rank) expected[rank - 2] = update.shape[rank - 2];
  require_shape("update", update, expected);
  if (update.shape[rank - 2] > cache.shape[rank - 2]) {
    refuse("update", "has " + std::to_string(update.shape[rank - 2]) + " rows; the cache has room for " +
                         std::to_string(cache.shape[rank - 2]));
  }
}

std::int64_t first_row(const TensorView& write_indices, std::int64_t b) noexcept {
  return write_indices.given ? id_at(write_indices, b * write_indices.strides[0]) : 0;
}

void check_index(std::int64_t index, std::int64_t b, std::int64_t last, bool circular) {
  if (index >= 0 && (circular || index <= last)) return;
  refuse("write_indices", "holds " + std::to_string(index) + " for sequence " + std::to_string(b) + "; expected " +
                              (circular ? "no negative number" : "0 to " + std::to_string(last)));
}

void check_indices(const MutableTensorView& cache, const TensorView& update, const TensorView& indices, bool circular) {
  if (!indices.given) return;
  require_readable("write_indices", indices, id_types);
  require_shape("write_indices", indices, {cache.shape[0]});
  require_apart("cache", cache, "write_indices", indices);
  if (element_count(update.shape) == 0) return;  // nothing to place, for however many sequences
  const int axis = cache.shape.rank() - 2;
  const std::int64_t last = cache.shape[axis] - update.shape[axis];
  for (std::int64_t b = 0; b < cache.shape[0]; ++b) check_index(first_row(indices, b), b, last, circular);
}

}  // namespace

void scatter_rows(const MutableTensorView& cache, const TensorView& update, const TensorView& write_indices,
                  bool circular) try {
  check_shapes(cache, update);
  require_apart("update", update, "cache", cache);
  check_indices(cache, update, write_indices, circular);
  if (element_count(update.shape) == 0) return;
  const int last = cache.shape.rank() - 1;
  const std::int64_t capacity = cache.shape[last - 1], size = cache.shape[last];
  Dims rows = update.shape;
  rows[last] = 1;
  for_each_index(rows, [&](const Dims& index) {
    Dims place = index;
    // Both terms are below the capacity, so that the sum cannot overflow.
    place[last - 1] = (first_row(write_indices, index[0]) % capacity + index[last - 1]) % capacity;
    copy_line({update, element_offset(update, index), update.strides[last]},
              {cache, element_offset(cache, place), cache.strides[last]}, size);
  });
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse rows");
}

}  // namespace headwise
