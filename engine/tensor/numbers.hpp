// Single elements of views of any type, for code whose time goes elsewhere. The caller has checked type and memory;
// offsets count elements.
#pragma once

#include <cstring>

#include "headwise/tensor.hpp"
#include "small_floats.hpp"

namespace headwise {

// An element of f32, f16, bf16 or f64.
inline double float_at(const TensorView& view, std::int64_t offset) noexcept {
  switch (view.dtype) {
    case DType::f64:
      return static_cast<const double*>(view.data)[offset];
    case DType::f16:
      return f16_to_f32(static_cast<const std::uint16_t*>(view.data)[offset]);
    case DType::bf16:
      return bf16_to_f32(static_cast<const std::uint16_t*>(view.data)[offset]);
    default:
      return static_cast<const float*>(view.data)[offset];
  }
}

// Rounds once, to nearest even.
inline void store_float(const MutableTensorView& view, std::int64_t offset, double value) noexcept {
  switch (view.dtype) {
    case DType::f64:
      static_cast<double*>(view.data)[offset] = value;
      return;
    case DType::f16:
      static_cast<std::uint16_t*>(view.data)[offset] = f64_to_f16(value);
      return;
    case DType::bf16:
      static_cast<std::uint16_t*>(view.data)[offset] = f64_to_bf16(value);
      return;
    default:
      static_cast<float*>(view.data)[offset] = static_cast<float>(value);
  }
}

// An element of i32 or i64.
inline std::int64_t id_at(const TensorView& view, std::int64_t offset) noexcept {
  if (view.dtype == DType::i32) return static_cast<const std::int32_t*>(view.data)[offset];
  return static_cast<const std::int64_t*>(view.data)[offset];
}

// Part of a view along one axis: where it starts and how far apart its elements lie.
struct ConstLine {
  const TensorView& view;
  std::int64_t offset, stride;
};
struct Line {
  const MutableTensorView& view;
  std::int64_t offset, stride;
};

template <class Word>
void copy_words(const ConstLine& from, const Line& to, std::int64_t count) noexcept {
  const auto* source = static_cast<const Word*>(from.view.data) + from.offset;
  auto* target = static_cast<Word*>(to.view.data) + to.offset;
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(target + i * to.stride, source + i * from.stride, sizeof(Word));
}

// Copies bits between lines of the same type.
inline void copy_line(const ConstLine& from, const Line& to, std::int64_t count) noexcept {
  switch (dtype_size(to.view.dtype)) {
    case 1:
      return copy_words<std::uint8_t>(from, to, count);
    case 2:
      return copy_words<std::uint16_t>(from, to, count);
    case 4:
      return copy_words<std::uint32_t>(from, to, count);
    default:
      return copy_words<std::uint64_t>(from, to, count);
  }
}

// Calls use(index) for every index of a shape in row-major order; never for an empty shape.
template <class Use>
void for_each_index(const Dims& shape, const Use& use) {
  for (const std::int64_t size : shape) {
    if (size <= 0) return;
  }
  Dims index = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) index[axis] = 0;
  for (int axis = 0; axis >= 0;) {
    use(static_cast<const Dims&>(index));
    for (axis = shape.rank() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis) index[axis] = 0;
  }
}

}  // namespace headwise
