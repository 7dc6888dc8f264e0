// Numbers as the reference kernel reads them: any element type, in double.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "attend.hpp"

namespace headwise::kernels {

constexpr double negative_infinity = -std::numeric_limits<double>::infinity();

inline double half_value(std::uint16_t bits) noexcept {
  const int exponent = bits >> 10 & 31;
  const double mantissa = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 0) return sign * mantissa * 0x1p-24;
  if (exponent < 31) return sign * std::ldexp(1024 + mantissa, exponent - 25);
  return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
}

// Element `at` of an array of floats.
inline double number_at(const void* data, Element element, std::int64_t at) noexcept {
  const auto half = [&] { return static_cast<const std::uint16_t*>(data)[at]; };
  if (element == Element::f16) return half_value(half());
  if (element == Element::bf16) return double(std::bit_cast<float>(std::uint32_t(half()) << 16));
  if (element == Element::f64) return static_cast<const double*>(data)[at];
  return double(static_cast<const float*>(data)[at]);
}

// Row `index` of keys or values, extra ones included.
struct NumberRow {
  const void* data;
  Element element;
  std::int64_t start;

  double operator[](std::int64_t c) const noexcept { return number_at(data, element, start + c); }
};

inline NumberRow number_row(const KeyRows& rows, std::int64_t index) noexcept {
  if (index < rows.split) return {rows.data, rows.element, index * rows.stride};
  return {rows.rest, rows.element, (index - rows.split) * rows.stride};
}

}  // namespace headwise::kernels
