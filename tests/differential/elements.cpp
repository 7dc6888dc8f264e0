#include "elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace differential {

namespace {

// A binary floating format: significant bits with the leading one, and the exponent of the smallest normal number.
struct Format {
  int digits, lowest, highest;
};

Format format_of(DType dtype) {
  if (dtype == DType::f16) return {11, -14, 15};
  if (dtype == DType::bf16) return {8, -126, 127};
  if (dtype == DType::f32) return {24, -126, 127};
  return {53, -1022, 1023};
}

// The distance between neighbours of a finite value.
double spacing(double value, const Format& format) {
  const int exponent = value == 0 ? format.lowest : std::max(std::ilogb(value), format.lowest);
  return std::ldexp(1.0, exponent - format.digits + 1);
}

int fraction_bits(DType dtype) {
  return format_of(dtype).digits - 1;
}

// Bits of a value that the 16-bit type holds exactly.
std::uint16_t encode_half(double value, DType dtype) {
  const int fraction = fraction_bits(dtype), bias = format_of(dtype).highest;
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0U;
  const auto top = std::uint16_t(((1U << (15 - fraction)) - 1) << fraction);
  if (std::isnan(value)) return std::uint16_t(sign | top | 1U << (fraction - 1));
  if (std::isinf(value)) return std::uint16_t(sign | top);
  const double size = std::fabs(value);
  const int lowest = format_of(dtype).lowest;
  const int exponent = size == 0 ? lowest - 1 : std::ilogb(size);
  if (exponent < lowest) return std::uint16_t(sign | unsigned(std::ldexp(size, fraction - lowest)));
  const auto digits = unsigned(std::ldexp(size, fraction - exponent)) - (1U << fraction);
  return std::uint16_t(sign | unsigned(exponent + bias) << fraction | digits);
}

double decode_half(std::uint16_t bits, DType dtype) {
  const int fraction = fraction_bits(dtype), bias = format_of(dtype).highest;
  const unsigned exponent = (bits & 0x7FFFU) >> fraction, digits = bits & ((1U << fraction) - 1);
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  if (int(exponent) == 2 * bias + 1) {
    return digits != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(double(digits), 1 - bias - fraction);
  return sign * std::ldexp(double(digits + (1U << fraction)), int(exponent) - bias - fraction);
}

template <class T>
double load_as(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return double(value);
}

template <class T>
void store_as(void* at, double value) {
  const T typed = T(value);
  std::memcpy(at, &typed, sizeof typed);
}

void visit(const TensorView& view, int axis, std::int64_t* index,
           const std::function<void(void*, const std::int64_t*)>& use) {
  if (axis == view.shape.rank()) return use(address(view, index), index);
  for (index[axis] = 0; index[axis] < view.shape[axis]; ++index[axis]) visit(view, axis + 1, index, use);
}

}  // namespace

bool is_float(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

double largest(DType dtype) {
  const Format format = format_of(dtype);
  return std::ldexp(2 - std::ldexp(1.0, 1 - format.digits), format.highest);
}

double half_ulp(double value, DType dtype) {
  return std::isfinite(value) && is_float(dtype) ? spacing(value, format_of(dtype)) / 2 : 0;
}

double rounded(double value, DType dtype) {
  if (!is_float(dtype) || dtype == DType::f64 || !std::isfinite(value)) return value;
  const double step = spacing(value, format_of(dtype)), result = std::nearbyint(value / step) * step;
  return std::fabs(result) <= largest(dtype) ? result : std::copysign(INFINITY, value);
}

double load(const void* at, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return load_as<double>(at);
    case DType::f32:
      return load_as<float>(at);
    case DType::f16:
    case DType::bf16:
      return decode_half(std::uint16_t(load_as<std::uint16_t>(at)), dtype);
    case DType::i64:
      return load_as<std::int64_t>(at);
    case DType::i32:
      return load_as<std::int32_t>(at);
    default:
      return load_as<std::uint8_t>(at);
  }
}

void store(void* at, DType dtype, double value) {
  switch (dtype) {
    case DType::f64:
      return store_as<double>(at, value);
    case DType::f32:
      return store_as<float>(at, value);
    case DType::f16:
    case DType::bf16:
      return store_as<std::uint16_t>(at, encode_half(rounded(value, dtype), dtype));
    case DType::i64:
      return store_as<std::int64_t>(at, value);
    case DType::i32:
      return store_as<std::int32_t>(at, value);
    default:
      return store_as<std::uint8_t>(at, value);
  }
}

void* address(const TensorView& view, const std::int64_t* index) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis) offset += index[axis] * view.strides[axis];
  char* data = static_cast<char*>(const_cast<void*>(view.data));
  return data + offset * static_cast<std::int64_t>(headwise::dtype_size(view.dtype));
}

double number_at(const TensorView& view, std::initializer_list<std::int64_t> index) {
  return load(address(view, index.begin()), view.dtype);
}

std::int64_t integer_at(const TensorView& view, std::initializer_list<std::int64_t> index) {
  return static_cast<std::int64_t>(number_at(view, index));
}

void for_each_element(const TensorView& view, const std::function<void(void*, const std::int64_t*)>& use) {
  std::int64_t index[headwise::max_rank] = {};
  visit(view, 0, index, use);
}

}  // namespace differential
