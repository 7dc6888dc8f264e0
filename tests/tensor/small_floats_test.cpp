#include "small_floats.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

using namespace headwise;

namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The value of a small float by the definition of the format, in double arithmetic.
double value_of(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int all_ones = (1 << exponent_bits) - 1, bias = all_ones / 2;
  const int exponent = (bits >> mantissa_bits) & all_ones, fraction = bits & ((1 << mantissa_bits) - 1);
  double value = std::ldexp(fraction, 1 - bias - mantissa_bits);
  if (exponent > 0) value = std::ldexp((1 << mantissa_bits) + fraction, exponent - bias - mantissa_bits);
  if (exponent == all_ones) value = fraction == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -value : value;
}

double f16_value(std::uint16_t bits) {
  return value_of(bits, 5, 10);
}

double bf16_value(std::uint16_t bits) {
  return value_of(bits, 8, 7);
}

// Checks a widening of all 65536 inputs and that narrowing brings each back; NaN stays NaN with its sign.
template <class Value, class Widen, class Narrow, class NarrowDouble>
void check_all(Value value, Widen widen, Narrow narrow, NarrowDouble narrow_double) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double expected = value(bits);
    const float wide = widen(bits);
    REQUIRE(std::signbit(wide) == ((bits & 0x8000) != 0));
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(value(narrow(wide))));
      REQUIRE((narrow(wide) & 0x8000) == (bits & 0x8000));
      REQUIRE(std::isnan(value(narrow_double(wide))));
    } else {
      REQUIRE(static_cast<double>(wide) == expected);
      REQUIRE(narrow(wide) == bits);
      REQUIRE(narrow_double(expected) == bits);
    }
  }
}

// Between two neighbours, the midpoint goes to the even one and everything else to the nearer one.
template <class Value, class NarrowDouble>
void check_ties(Value value, NarrowDouble narrow, std::uint16_t infinity) {
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const double low = value(bits);
    // Above the largest finite number stands the power of two that the format would have there.
    const double high = next == infinity ? low + (low - value(static_cast<std::uint16_t>(bits - 1))) : value(next);
    const double middle = low + (high - low) / 2;
    REQUIRE(narrow(middle) == ((bits & 1) == 0 ? bits : next));
    REQUIRE(narrow(std::nextafter(middle, 0.0)) == bits);
    REQUIRE(narrow(std::nextafter(middle, INFINITY)) == next);
    REQUIRE(narrow(-middle) == (0x8000 | ((bits & 1) == 0 ? bits : next)));
  }
}

bool is_nan_pattern(std::uint16_t bits) {
  return (bits & 0x7fff) > 0x7f80;
}

}  // namespace

TEST_CASE("all f16 values widen exactly and come back") {
  check_all(f16_value, f16_to_f32, f32_to_f16, f64_to_f16);
}

TEST_CASE("all bf16 values widen exactly and come back") {
  check_all(bf16_value, bf16_to_f32, f32_to_bf16, f64_to_bf16);
}

TEST_CASE("narrowing rounds to nearest, ties to even, between all neighbours") {
  check_ties(f16_value, f64_to_f16, 0x7c00);
  check_ties(bf16_value, f64_to_bf16, 0x7f80);
}

TEST_CASE("f32 and f64 narrow to the same bits") {
  std::mt19937 random(2);
  for (int i = 0; i < 2'000'000; ++i) {
    const float value = float_of(static_cast<std::uint32_t>(random()));
    if (std::isnan(value)) continue;
    REQUIRE(f32_to_f16(value) == f64_to_f16(value));
    REQUIRE(f32_to_bf16(value) == f64_to_bf16(value));
  }
}

TEST_CASE("a double rounds once, not first to f32") {
  // Just above a tie of f16: rounding to f32 first would land on the tie and then go to even.
  CHECK(f64_to_f16(1.0 + 0x1p-11 + 0x1p-40) == 0x3c01);
  CHECK(f64_to_bf16(1.0 + 0x1p-8 + 0x1p-40) == 0x3f81);
  CHECK(f64_to_f16(5e-324) == 0);
  CHECK(f64_to_f16(-5e-324) == 0x8000);
  CHECK(f64_to_f16(1e300) == 0x7c00);
  CHECK(f64_to_f16(-INFINITY) == 0xfc00);
}

TEST_CASE("integers round once") {
  CHECK(integer_to_f16(false, 0) == 0);
  CHECK(integer_to_f16(true, 1) == 0xbc00);
  CHECK(integer_to_f16(false, 2049) == f64_to_f16(2049));
  CHECK(integer_to_f16(false, 65519) == 0x7bff);
  CHECK(integer_to_f16(false, 65520) == 0x7c00);
  CHECK(integer_to_f16(false, ~0ull) == 0x7c00);
  // 2^62 + 2^54 is a tie of bf16; one more is not, though a double cannot tell.
  CHECK(integer_to_bf16(false, (1ull << 62) + (1ull << 54)) == 0x5e80);
  CHECK(integer_to_bf16(false, (1ull << 62) + (1ull << 54) + 1) == 0x5e81);
}

TEST_CASE("case B29: f32 to bf16 bit for bit") {
  const auto json = nlohmann::json::parse(std::ifstream(HEADWISE_TEST_DATA "/cases/B29.json"));
  const auto& inputs = json["inputs"]["f32_bits"];
  const auto& expected = json["expected"]["bf16_bits"];
  REQUIRE(inputs.size() == expected.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(std::stoul(inputs[i].get<std::string>(), nullptr, 16));
    const std::string wanted = expected[i];
    CAPTURE(wanted);
    const std::uint16_t result = f32_to_bf16(float_of(bits));
    if (wanted.find("NaN") != std::string::npos) {
      CHECK(is_nan_pattern(result));
      CHECK((result & 0x40) != 0);  // quiet
    } else {
      CHECK(result == std::stoul(wanted, nullptr, 16));
    }
  }
  for (const auto& [from, to] : json["expected"]["bf16_to_f32"].items()) {
    const float wide = bf16_to_f32(static_cast<std::uint16_t>(std::stoul(from, nullptr, 16)));
    CHECK(bits_of(wide) == std::stoul(to.get<std::string>(), nullptr, 16));
  }
}
