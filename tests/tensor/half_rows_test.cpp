// Whole rows of small floats give the bits of one number after the other.
#include "half_rows.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "small_floats.hpp"

using namespace headwise;

namespace {

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Values around every boundary of the two formats: each exponent with fractions that round down, up, to even and over.
std::vector<float> hard_values() {
  std::vector<float> values;
  for (std::uint32_t exponent = 0; exponent < 256; ++exponent) {
    for (const std::uint32_t fraction : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u, 0x8001u,
                                         0x17fffu, 0x18000u, 0x7fefffu, 0x7ff000u, 0x7fffffu}) {
      values.push_back(float_of(exponent << 23 | fraction));
      values.push_back(float_of(0x80000000u | exponent << 23 | fraction));
    }
  }
  return values;
}

template <class Row, class One>
void check_narrow(const std::vector<float>& values, Row row, One one) {
  std::vector<std::uint16_t> result(values.size());
  row(values.data(), result.data(), static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(result[i] == one(values[i]));
}

}  // namespace

TEST_CASE("half rows: every f16 and bf16 widens as one alone does") {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> f16(all.size()), bf16(all.size());
  widen_f16(all.data(), f16.data(), 65536);
  widen_bf16(all.data(), bf16.data(), 65536);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(same_bits(f16[i], f16_to_f32(all[i])));
    REQUIRE(same_bits(bf16[i], bf16_to_f32(all[i])));
  }
}

TEST_CASE("half rows: narrowing rounds as one alone does, in mixed and in ordinary rows") {
  const std::vector<float> values = hard_values();
  check_narrow(values, narrow_f16, f32_to_f16);
  check_narrow(values, narrow_bf16, f32_to_bf16);
  for (const float value : values) {
    std::vector<float> row(3, 1.0F);
    row[1] = value;
    check_narrow(row, narrow_f16, f32_to_f16);
    check_narrow(row, narrow_bf16, f32_to_bf16);
  }
}

TEST_CASE("half rows: lengths around a chunk write what they should and no more") {
  for (const std::int64_t count : {0, 1, 63, 64, 65, 130}) {
    std::vector<float> from(131, 1.5F);
    std::vector<std::uint16_t> to(131, 7);
    narrow_f16(from.data(), to.data(), count);
    for (std::int64_t i = 0; i < 131; ++i) REQUIRE(to[std::size_t(i)] == (i < count ? f32_to_f16(1.5F) : 7));
    widen_f16(to.data(), from.data(), count);
    for (std::int64_t i = 0; i < 131; ++i) REQUIRE(from[std::size_t(i)] == 1.5F);
  }
}
