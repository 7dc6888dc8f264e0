#include "small_floats.hpp"

#include <algorithm>
#include <cstring>

namespace headwise {
namespace {

struct Format {
  int exponent_bits, mantissa_bits;
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr std::uint64_t infinity() const { return ((1ull << exponent_bits) - 1) << mantissa_bits; }
  constexpr std::uint64_t sign() const { return 1ull << (exponent_bits + mantissa_bits); }
};

constexpr Format f16{5, 10}, bf16{8, 7}, f32{8, 23}, f64{11, 52};

template <class To, class From>
To bit_copy(From from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// significand / 2^shift, rounded to nearest, ties to even.
std::uint64_t shift_rounded(std::uint64_t significand, int shift) noexcept {
  if (shift <= 0) return significand << -shift;
  if (shift > 64) return 0;
  // At 64 nothing is left but what is more than half.
  if (shift == 64) return significand > (1ull << 63) ? 1 : 0;
  const std::uint64_t quotient = significand >> shift;
  const std::uint64_t rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

// The magnitude significand · 2^scale in a format, without its sign.
std::uint64_t encode(std::uint64_t significand, int scale, Format to) noexcept {
  if (significand == 0) return 0;
  const int top = 63 - __builtin_clzll(significand);
  const int exponent = top + scale + to.bias();
  // Below the smallest normal number the exponent stays and the significand gets shorter.
  const int stored = std::max(exponent, 1);
  const std::uint64_t rounded = shift_rounded(significand, top - to.mantissa_bits + (stored - exponent));
  // Added, not or-ed: the leading bit and a carry out of the rounding both raise the exponent as they must.
  const std::uint64_t bits = (static_cast<std::uint64_t>(stored - 1) << to.mantissa_bits) + rounded;
  return std::min(bits, to.infinity());
}

// NaN keeps its sign and the upper payload bits, and becomes quiet.
std::uint64_t encode_nan(std::uint64_t fraction, Format from, Format to) noexcept {
  return to.infinity() | (1ull << (to.mantissa_bits - 1)) | (fraction >> (from.mantissa_bits - to.mantissa_bits));
}

std::uint16_t narrow(std::uint64_t bits, Format from, Format to) noexcept {
  const std::uint64_t magnitude = bits & (from.sign() - 1);
  const std::uint64_t fraction = magnitude & ((1ull << from.mantissa_bits) - 1);
  const int exponent = static_cast<int>(magnitude >> from.mantissa_bits);
  std::uint64_t result = to.infinity();
  if (magnitude > from.infinity()) {
    result = encode_nan(fraction, from, to);
  } else if (magnitude < from.infinity()) {
    const std::uint64_t leading = exponent == 0 ? 0 : 1ull << from.mantissa_bits;
    result = encode(fraction | leading, std::max(exponent, 1) - from.bias() - from.mantissa_bits, to);
  }
  return static_cast<std::uint16_t>(result | ((bits & from.sign()) != 0 ? to.sign() : 0));
}

std::uint16_t from_integer(bool negative, std::uint64_t magnitude, Format to) noexcept {
  return static_cast<std::uint16_t>(encode(magnitude, 0, to) | (negative ? to.sign() : 0));
}

}  // namespace

float f16_to_f32(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
  std::uint64_t result;
  if (magnitude >= f16.infinity()) {
    result = f32.infinity() | static_cast<std::uint64_t>(magnitude & 0x3ffu) << 13;
  } else if (magnitude < 0x400u) {
    result = encode(magnitude, -24, f32);  // subnormal: a multiple of 2^-24
  } else {
    result = (static_cast<std::uint64_t>(magnitude) << 13) + ((127ull - 15) << 23);
  }
  return bit_copy<float>(static_cast<std::uint32_t>(result) | sign);
}

float bf16_to_f32(std::uint16_t bits) noexcept {
  return bit_copy<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t f32_to_f16(float value) noexcept {
  return narrow(bit_copy<std::uint32_t>(value), f32, f16);
}

std::uint16_t f32_to_bf16(float value) noexcept {
  return narrow(bit_copy<std::uint32_t>(value), f32, bf16);
}

std::uint16_t f64_to_f16(double value) noexcept {
  return narrow(bit_copy<std::uint64_t>(value), f64, f16);
}

std::uint16_t f64_to_bf16(double value) noexcept {
  return narrow(bit_copy<std::uint64_t>(value), f64, bf16);
}

std::uint16_t integer_to_f16(bool negative, std::uint64_t magnitude) noexcept {
  return from_integer(negative, magnitude, f16);
}

std::uint16_t integer_to_bf16(bool negative, std::uint64_t magnitude) noexcept {
  return from_integer(negative, magnitude, bf16);
}

}  // namespace headwise
