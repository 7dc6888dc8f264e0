// What other rooms do with strided views: ask for their layout and copy them to and from contiguous memory.
// Nothing here allocates or throws; the caller has checked that the memory behind a view is valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "headwise/tensor.hpp"

namespace headwise {

// True when the elements lie in row-major order without gaps. Strides of axes of size 1 do not matter, and a view
// without elements is contiguous.
bool is_contiguous(const TensorView& view) noexcept;

// How far the element at an index lies from the first one, in elements. The index has the view's rank and is in range.
std::int64_t element_offset(const TensorView& view, const Dims& index) noexcept;

// The addresses that a view touches: [begin, end).
struct ByteRange {
  std::uintptr_t begin = 0, end = 0;
  bool overlaps(const ByteRange& other) const noexcept { return begin < other.end && other.begin < end; }
};

// Empty for a view without elements; nullopt when shape and strides do not fit the address space.
std::optional<ByteRange> byte_range(const TensorView& view) noexcept;

// Copies a view of any strides into contiguous row-major memory of the same type.
void copy_to_contiguous(const TensorView& from, void* to) noexcept;
// Copies contiguous row-major memory into a view of any strides of the same type.
void copy_from_contiguous(const void* from, const MutableTensorView& to) noexcept;

}  // namespace headwise
