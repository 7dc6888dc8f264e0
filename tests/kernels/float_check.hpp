// Errors of functions of one float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// The distance of `actual` from the truth in units in the last place of the truth.
inline double ulp_error(float actual, double truth) {
  int exponent = 0;
  std::frexp(truth, &exponent);
  exponent = exponent < -125 ? -125 : exponent;  // subnormal numbers share one unit
  return std::fabs(double(actual) - truth) / std::ldexp(1.0, exponent - 24);
}

inline bool same_float(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
