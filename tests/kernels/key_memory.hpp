// Keys or values of a case as the kernels get them: in their element type, in one piece or two, each guarded.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "kernel_harness.hpp"

// Round to nearest, ties to even, through the integer grid of the target; NaN stays NaN.
inline std::uint16_t to_half(float x) {
  const auto sign = std::uint16_t(std::bit_cast<std::uint32_t>(x) >> 16 & 0x8000U);
  const double size = std::fabs(double(x));
  if (std::isnan(x)) return std::uint16_t(sign | 0x7e00U);
  if (size >= 65520) return std::uint16_t(sign | 0x7c00U);
  int exponent = -14;
  while (exponent < 15 && size >= std::ldexp(1.0, exponent + 1)) ++exponent;
  const auto steps = std::uint32_t(std::nearbyint(std::ldexp(size, 10 - exponent)));  // of 2^(exponent − 10)
  return std::uint16_t(sign | ((std::uint32_t(exponent + 14) << 10) + steps));        // a carry is the next exponent
}

inline float from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const float mantissa = float(bits & 1023);
  const float sign = bits >> 15 != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : std::nanf("");
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

inline std::uint16_t to_bfloat(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return std::uint16_t(bits >> 16 | 0x40U);
  return std::uint16_t((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}
inline float from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

inline void round_to(headwise::kernels::Element element, GuardedFloats& floats) {
  using headwise::kernels::Element;
  for (float& x : floats) {
    if (element == Element::f16) x = from_half(to_half(x));
    if (element == Element::bf16) x = from_bfloat(to_bfloat(x));
  }
}

class KeyMemory {
 public:
  KeyMemory(const HeadCase& c, GuardedFloats& floats, std::int64_t width)
      : stride_(width + c.padding), element_(c.element), split_(c.split), original_(floats.data()) {
    if (element_ == headwise::kernels::Element::f32 && split_ >= c.keys) return;
    const std::int64_t first = std::min(split_, c.keys);
    const std::int64_t count = floats.end() - floats.begin();
    const std::int64_t cut = std::min(count, first * stride_);
    make_piece(0, floats.data(), cut, c.at_end);
    make_piece(1, floats.data() + cut, count - cut, c.at_end);
  }

  headwise::kernels::KeyRows rows() const {
    if (!pieces_[0]) return {original_, stride_, element_, nullptr, INT64_MAX};
    return {starts_[0], stride_, element_, starts_[1], split_};
  }

 private:
  // An odd count of halves is moved by one, so that the last one touches the guard page.
  void make_piece(int number, const float* from, std::int64_t count, bool at_end) {
    const bool half = element_ != headwise::kernels::Element::f32;
    pieces_[number] = std::make_unique<GuardedFloats>(half ? (count + 1) / 2 : count, at_end);
    auto* bytes = reinterpret_cast<char*>(pieces_[number]->data()) + (half && at_end ? count % 2 * 2 : 0);
    starts_[number] = bytes;
    if (!half) std::memcpy(bytes, from, std::size_t(count) * sizeof(float));
    for (std::int64_t i = 0; half && i < count; ++i) {
      const std::uint16_t bits = element_ == headwise::kernels::Element::f16 ? to_half(from[i]) : to_bfloat(from[i]);
      std::memcpy(bytes + 2 * i, &bits, 2);
    }
  }

  std::int64_t stride_;
  headwise::kernels::Element element_;
  std::int64_t split_;
  const float* original_;
  std::unique_ptr<GuardedFloats> pieces_[2];
  const void* starts_[2] = {};
};
