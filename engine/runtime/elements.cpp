#include "elements.hpp"

#include "half_rows.hpp"
#include "small_floats.hpp"

namespace headwise::runtime {

namespace {

using kernels::Element;

struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};

float widen(Half value) noexcept {
  return f16_to_f32(value.bits);
}
float widen(Brain value) noexcept {
  return bf16_to_f32(value.bits);
}
template <class T>
T widen(T value) noexcept {
  return value;
}

void assign(Half& to, float value) noexcept {
  to.bits = f32_to_f16(value);
}
void assign(Half& to, double value) noexcept {
  to.bits = f64_to_f16(value);
}
void assign(Brain& to, float value) noexcept {
  to.bits = f32_to_bf16(value);
}
void assign(Brain& to, double value) noexcept {
  to.bits = f64_to_bf16(value);
}
template <class To, class From>
void assign(To& to, From value) noexcept {
  to = static_cast<To>(value);
}

// Calls use(T*) with the view's memory as what its dtype says.
template <class Void, class Use>
void with_elements(const BasicTensorView<Void>& view, const Use& use) noexcept {
  constexpr bool readable = std::is_const_v<Void>;
  const auto as = [&](auto type) {
    using T = decltype(type);
    use(static_cast<std::conditional_t<readable, const T, T>*>(view.data));
  };
  switch (view.dtype) {
    case DType::f32:
      return as(float{});
    case DType::f64:
      return as(double{});
    case DType::f16:
      return as(Half{});
    case DType::bf16:
      return as(Brain{});
    case DType::i32:
      return as(std::int32_t{});
    case DType::i64:
      return as(std::int64_t{});
    default:
      return;  // checked before: no view of another type comes here
  }
}

template <class From>
void store_all(const From* from, const MutableTensorView& view, const RowOf& row) noexcept {
  with_elements(view, [&](auto* to) {
    for (std::int64_t i = 0; i < row.count; ++i) assign(to[row.at + i * row.stride], from[i]);
  });
}

template <class To>
void load_all(const TensorView& view, const RowOf& row, To* to) noexcept {
  with_elements(view, [&](const auto* from) {
    for (std::int64_t i = 0; i < row.count; ++i) assign(to[i], widen(from[row.at + i * row.stride]));
  });
}

// Adjacent f16 or bf16 numbers have faster ways.
bool is_half_row(const BasicTensorView<const void>& view, const RowOf& row, Element element) noexcept {
  return is_half(view.dtype) && row.stride == 1 && element == Element::f32;
}

void load_halves(const TensorView& view, const RowOf& row, float* to) noexcept {
  const auto* from = static_cast<const std::uint16_t*>(view.data) + row.at;
  view.dtype == DType::f16 ? widen_f16(from, to, row.count) : widen_bf16(from, to, row.count);
}

void store_halves(const float* from, const MutableTensorView& view, const RowOf& row) noexcept {
  auto* to = static_cast<std::uint16_t*>(view.data) + row.at;
  view.dtype == DType::f16 ? narrow_f16(from, to, row.count) : narrow_bf16(from, to, row.count);
}

}  // namespace

bool is_half(DType dtype) noexcept {
  return dtype == DType::f16 || dtype == DType::bf16;
}
bool is_float_type(DType dtype) noexcept {
  return dtype == DType::f32 || dtype == DType::f64 || is_half(dtype);
}

Element element_of(DType dtype) noexcept {
  switch (dtype) {
    case DType::f64:
      return Element::f64;
    case DType::f16:
      return Element::f16;
    case DType::bf16:
      return Element::bf16;
    case DType::i32:
      return Element::i32;
    case DType::i64:
      return Element::i64;
    default:
      return Element::f32;
  }
}

std::int64_t element_bytes(Element element) noexcept {
  const bool two = element == Element::f16 || element == Element::bf16;
  return two ? 2 : element == Element::f32 || element == Element::i32 ? 4 : 8;
}

void load_row(const TensorView& view, const RowOf& row, Element to_element, void* to) noexcept {
  if (is_half_row(view, row, to_element)) return load_halves(view, row, static_cast<float*>(to));
  to_element == Element::f64 ? load_all(view, row, static_cast<double*>(to))
                             : load_all(view, row, static_cast<float*>(to));
}

void store_row(const void* from, Element from_element, const MutableTensorView& view, const RowOf& row) noexcept {
  if (is_half_row(view, row, from_element)) return store_halves(static_cast<const float*>(from), view, row);
  from_element == Element::f64 ? store_all(static_cast<const double*>(from), view, row)
                               : store_all(static_cast<const float*>(from), view, row);
}

void fill_row(const MutableTensorView& view, const RowOf& row, double value) noexcept {
  with_elements(view, [&](auto* to) {
    for (std::int64_t i = 0; i < row.count; ++i) assign(to[row.at + i * row.stride], value);
  });
}

}  // namespace headwise::runtime
