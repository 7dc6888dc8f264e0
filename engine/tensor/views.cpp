#include "views.hpp"

#include <cstring>

#include "checked.hpp"

namespace headwise {
namespace {

struct Axis {
  std::int64_t size, stride;
};

// The axes of a view without those of size 1, neighbours merged where memory allows, so that the innermost row is as
// long as it can be. A view of one element has one axis of size 1.
struct Axes {
  Axis axis[max_rank + 1];
  int rank = 0;
  bool empty = false;
};

bool continues(const Axis& outer, const Axis& inner) noexcept {
  return checked_multiply(inner.size, inner.stride) == outer.stride;
}

void append(Axes& axes, const Axis& next) noexcept {
  if (axes.rank > 0 && continues(axes.axis[axes.rank - 1], next)) {
    axes.axis[axes.rank - 1] = {axes.axis[axes.rank - 1].size * next.size, next.stride};
  } else {
    axes.axis[axes.rank++] = next;
  }
}

Axes merged_axes(const Dims& shape, const Dims& strides) noexcept {
  Axes axes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] <= 0) axes.empty = true;
    if (shape[axis] > 1) append(axes, {shape[axis], strides[axis]});
  }
  if (axes.rank == 0) axes.axis[axes.rank++] = {1, 1};
  return axes;
}

// Steps to the next row; false after the last one.
bool next_row(const Axes& axes, std::int64_t* index, std::int64_t& offset) noexcept {
  for (int axis = axes.rank - 2; axis >= 0; --axis) {
    const auto [size, stride] = axes.axis[axis];
    if (++index[axis] < size) {
      offset += stride;
      return true;
    }
    offset -= stride * (size - 1);
    index[axis] = 0;
  }
  return false;
}

// Calls copy_row(row number, offset of the row's first element) for every row in row-major order.
template <class CopyRow>
void for_each_row(const Axes& axes, const CopyRow& copy_row) noexcept {
  std::int64_t index[max_rank + 1] = {};
  std::int64_t offset = 0, row = 0;
  do {
    copy_row(row++, offset);
  } while (next_row(axes, index, offset));
}

// Copies single elements with memcpy of a constant size, which compiles to one move and needs no alignment.
template <std::size_t size>
void copy_strided(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t n) noexcept {
  for (std::int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, size);
}

// Steps are in bytes.
void copy_row(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t n,
              std::int64_t size) noexcept {
  if (from_step == size && to_step == size) {
    std::memcpy(to, from, static_cast<std::size_t>(n * size));
    return;
  }
  switch (size) {
    case 1:
      return copy_strided<1>(from, from_step, to, to_step, n);
    case 2:
      return copy_strided<2>(from, from_step, to, to_step, n);
    case 4:
      return copy_strided<4>(from, from_step, to, to_step, n);
    default:
      return copy_strided<8>(from, from_step, to, to_step, n);
  }
}

// The sum of the farthest steps in one direction, in elements.
std::optional<std::int64_t> reach(const TensorView& view, bool forward) noexcept {
  std::optional<std::int64_t> sum = 0;
  for (int axis = 0; sum && axis < view.shape.rank(); ++axis) {
    const std::int64_t stride = view.strides[axis];
    if ((stride > 0) != forward) continue;
    const auto step = checked_multiply(view.shape[axis] - 1, stride);
    sum = step ? checked_add(*sum, *step) : std::nullopt;
  }
  return sum;
}

std::optional<std::uintptr_t> address(const TensorView& view, std::optional<std::int64_t> elements) noexcept {
  if (!elements) return std::nullopt;
  const auto bytes = checked_multiply(*elements, static_cast<std::int64_t>(dtype_size(view.dtype)));
  std::uintptr_t result = 0;
  const auto base = reinterpret_cast<std::uintptr_t>(view.data);
  if (!bytes || __builtin_add_overflow(base, *bytes, &result)) return std::nullopt;
  return result;
}

}  // namespace

bool is_contiguous(const TensorView& view) noexcept {
  const Axes axes = merged_axes(view.shape, view.strides);
  return axes.empty || (axes.rank == 1 && axes.axis[0].stride == 1);
}

std::int64_t element_offset(const TensorView& view, const Dims& index) noexcept {
  std::int64_t offset = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis) offset += index[axis] * view.strides[axis];
  return offset;
}

std::optional<ByteRange> byte_range(const TensorView& view) noexcept {
  const auto base = reinterpret_cast<std::uintptr_t>(view.data);
  if (merged_axes(view.shape, view.strides).empty) return ByteRange{base, base};
  const auto first = address(view, reach(view, false));
  const auto last = address(view, reach(view, true));
  if (!first || !last) return std::nullopt;
  const auto end = checked_add(*last, static_cast<std::uintptr_t>(dtype_size(view.dtype)));
  return end ? std::optional(ByteRange{*first, *end}) : std::nullopt;
}

void copy_to_contiguous(const TensorView& from, void* to) noexcept {
  const Axes axes = merged_axes(from.shape, from.strides);
  if (axes.empty) return;
  const auto size = static_cast<std::int64_t>(dtype_size(from.dtype));
  const Axis inner = axes.axis[axes.rank - 1];
  for_each_row(axes, [&](std::int64_t row, std::int64_t offset) noexcept {
    copy_row(static_cast<const char*>(from.data) + offset * size, inner.stride * size,
             static_cast<char*>(to) + row * inner.size * size, size, inner.size, size);
  });
}

void copy_from_contiguous(const void* from, const MutableTensorView& to) noexcept {
  const Axes axes = merged_axes(to.shape, to.strides);
  if (axes.empty) return;
  const auto size = static_cast<std::int64_t>(dtype_size(to.dtype));
  const Axis inner = axes.axis[axes.rank - 1];
  for_each_row(axes, [&](std::int64_t row, std::int64_t offset) noexcept {
    copy_row(static_cast<const char*>(from) + row * inner.size * size, size,
             static_cast<char*>(to.data) + offset * size, inner.stride * size, inner.size, size);
  });
}

}  // namespace headwise
