#include "half_rows.hpp"

#include <algorithm>
#include <cstring>

#include "small_floats.hpp"

namespace headwise {

namespace {

constexpr std::int64_t chunk = 64;
constexpr std::uint32_t rebias = (127 - 15) << 23;  // between the exponents of f16 and f32, in the bits of an f32

using Bits = std::uint32_t[chunk];

// Each rule says which bits are ordinary, and what they become; `convert` is for all others.
struct WidenF16 {
  using From = std::uint16_t;
  using To = float;
  static std::uint32_t is_special(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7fff;
    return std::uint32_t(magnitude - 1 < 0x3ff) | std::uint32_t(magnitude >= 0x7c00);  // subnormal; infinity and NaN
  }
  static std::uint32_t ordinary(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7fff;
    return (magnitude == 0 ? 0 : (magnitude << 13) + rebias) | (bits & 0x8000) << 16;
  }
  static float convert(std::uint16_t bits) { return f16_to_f32(bits); }
};

struct NarrowF16 {
  using From = std::uint32_t;
  using To = std::uint16_t;
  static std::uint32_t is_special(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7fffffff;
    // Smaller than the normal f16, but not 0; rounding to infinity, infinity and NaN.
    return std::uint32_t(magnitude - 1 < 0x38800000 - 1) | std::uint32_t(magnitude >= 0x477ff000);
  }
  static std::uint32_t ordinary(std::uint32_t bits) {
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t rounded = (magnitude - rebias + 0xfff + (magnitude >> 13 & 1)) >> 13;
    return (magnitude == 0 ? 0 : rounded) | (bits >> 16 & 0x8000);
  }
  static std::uint16_t convert(float value) { return f32_to_f16(value); }
};

struct NarrowBf16 {
  using From = std::uint32_t;
  using To = std::uint16_t;
  static std::uint32_t is_special(std::uint32_t bits) { return std::uint32_t((bits & 0x7fffffff) > 0x7f800000); }
  static std::uint32_t ordinary(std::uint32_t bits) { return (bits + 0x7fff + (bits >> 16 & 1)) >> 16; }
  static std::uint16_t convert(float value) { return f32_to_bf16(value); }
};

template <class Rule>
bool all_ordinary(const typename Rule::From* from, std::int64_t count) {
  std::uint32_t special = 0;
  for (std::int64_t i = 0; i < count; ++i) special |= Rule::is_special(from[i]);
  return special == 0;
}

// Bits of count numbers; false when one of them is not ordinary.
template <class Rule>
bool convert_bits(const typename Rule::From* from, std::int64_t count, Bits& to) {
  if (!all_ordinary<Rule>(from, count)) return false;
  for (std::int64_t i = 0; i < count; ++i) to[i] = Rule::ordinary(from[i]);
  return true;
}

template <class Rule>
void narrow(const float* from, std::uint16_t* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; at += chunk) {
    const std::int64_t size = std::min(chunk, count - at);
    Bits bits, result;
    std::memcpy(bits, from + at, sizeof(float) * static_cast<std::size_t>(size));
    const bool done = convert_bits<Rule>(bits, size, result);
    for (std::int64_t i = 0; done && i < size; ++i) to[at + i] = static_cast<std::uint16_t>(result[i]);
    for (std::int64_t i = 0; !done && i < size; ++i) to[at + i] = Rule::convert(from[at + i]);
  }
}

}  // namespace

void widen_f16(const std::uint16_t* from, float* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; at += chunk) {
    const std::int64_t size = std::min(chunk, count - at);
    Bits bits;
    const bool done = convert_bits<WidenF16>(from + at, size, bits);
    if (done) std::memcpy(to + at, bits, sizeof(float) * static_cast<std::size_t>(size));
    for (std::int64_t i = 0; !done && i < size; ++i) to[at + i] = WidenF16::convert(from[at + i]);
  }
}

void widen_bf16(const std::uint16_t* from, float* to, std::int64_t count) noexcept {
  for (std::int64_t at = 0; at < count; at += chunk) {
    const std::int64_t size = std::min(chunk, count - at);
    Bits bits;
    for (std::int64_t i = 0; i < size; ++i) bits[i] = std::uint32_t(from[at + i]) << 16;
    std::memcpy(to + at, bits, sizeof(float) * static_cast<std::size_t>(size));
  }
}

void narrow_f16(const float* from, std::uint16_t* to, std::int64_t count) noexcept {
  narrow<NarrowF16>(from, to, count);
}
void narrow_bf16(const float* from, std::uint16_t* to, std::int64_t count) noexcept {
  narrow<NarrowBf16>(from, to, count);
}

}  // namespace headwise
