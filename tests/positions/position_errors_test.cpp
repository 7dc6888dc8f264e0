// Configurations without a meaning are refused by the name of the field.
#include <doctest/doctest.h>

#include <climits>
#include <limits>

#include "expect_error.hpp"
#include "position_checks.hpp"

using namespace headwise;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

template <class Spoil>
void expect_refused(const std::vector<std::string>& words, RotaryScaling scaling, const Spoil& spoil) {
  RotaryConfig config{.dim = 8, .scaling = scaling, .factor = 2, .original_positions = 100};
  check_rotary(config, 8);
  spoil(config);
  expect_error(ErrorCode::invalid_argument, words, [&] { check_rotary(config, 8); });
  expect_error(ErrorCode::invalid_argument, words, [&] { rotary_frequencies(config); });
  expect_error(ErrorCode::invalid_argument, words, [&] { rotary_magnitude(config); });
}

}  // namespace

TEST_CASE("errors: the rotary width") {
  for (const std::int64_t dim : {std::int64_t{-2}, INT64_MIN, INT64_MAX - 1}) {
    expect_refused({"rotary.dim is " + std::to_string(dim), "expected 0 to"}, RotaryScaling::none,
                   [&](RotaryConfig& config) { config.dim = dim; });
  }
  expect_refused({"rotary.dim is 7", "even"}, RotaryScaling::none, [](RotaryConfig& config) { config.dim = 7; });
  expect_error(ErrorCode::invalid_argument, {"rotary.dim is 8", "0 to 6"}, [] { check_rotary({.dim = 8}, 6); });
  check_rotary({.dim = 6}, 7);
  check_rotary({.dim = 0, .base = not_a_number, .factor = not_a_number}, 7);
}

TEST_CASE("errors: numbers that are no base, factor or kind") {
  for (const double base : {not_a_number, infinity, -infinity, 0.0, -10000.0, 0.5}) {
    expect_refused({"rotary.base is ", "at least 1"}, RotaryScaling::none,
                   [&](RotaryConfig& config) { config.base = base; });
  }
  for (const auto scaling : {RotaryScaling::linear, RotaryScaling::ntk, RotaryScaling::yarn, RotaryScaling::llama3}) {
    for (const double factor : {not_a_number, infinity, 0.0, -1.0, 0.99}) {
      expect_refused({"rotary.factor is ", "at least 1"}, scaling,
                     [&](RotaryConfig& config) { config.factor = factor; });
    }
  }
  check_rotary({.dim = 8, .factor = not_a_number}, 8);  // not read without scaling
  expect_refused({"rotary.scaling", "9"}, RotaryScaling::none,
                 [](RotaryConfig& config) { config.scaling = static_cast<RotaryScaling>(9); });
  expect_refused({"rotary.layout", "-1"}, RotaryScaling::none,
                 [](RotaryConfig& config) { config.layout = static_cast<RotaryLayout>(-1); });
}

TEST_CASE("errors: YaRN and Llama 3") {
  for (const auto scaling : {RotaryScaling::yarn, RotaryScaling::llama3}) {
    for (const std::int64_t length : {std::int64_t{0}, INT64_MIN}) {
      expect_refused({"rotary.original_positions is " + std::to_string(length)}, scaling,
                     [&](RotaryConfig& config) { config.original_positions = length; });
    }
  }
  const auto yarn = RotaryScaling::yarn, llama3 = RotaryScaling::llama3;
  expect_refused({"rotary.base is 1", "above 1"}, yarn, [](RotaryConfig& config) { config.base = 1; });
  for (const double bad : {not_a_number, infinity, 0.0, -1.0}) {
    expect_refused({"rotary.beta_slow"}, yarn, [&](RotaryConfig& config) { config.beta_slow = bad; });
    expect_refused({"rotary.beta_fast", "at least 1"}, yarn, [&](RotaryConfig& config) { config.beta_fast = bad; });
    expect_refused({"rotary.low_frequency_factor"}, llama3,
                   [&](RotaryConfig& config) { config.low_frequency_factor = bad; });
    expect_refused({"rotary.high_frequency_factor", "above 1"}, llama3,
                   [&](RotaryConfig& config) { config.high_frequency_factor = bad; });
  }
  for (const double bad : {not_a_number, infinity, -0.5}) {
    expect_refused({"rotary.attention_factor"}, yarn, [&](RotaryConfig& config) { config.attention_factor = bad; });
  }
  expect_refused({"rotary.high_frequency_factor is 1"}, llama3,
                 [](RotaryConfig& config) { config.high_frequency_factor = 1; });
}

TEST_CASE("extreme configurations stay finite") {
  for (const double big : {1e300, std::numeric_limits<double>::max(), 1 + 0x1p-52}) {
    for (const auto scaling : {RotaryScaling::linear, RotaryScaling::ntk, RotaryScaling::yarn, RotaryScaling::llama3}) {
      const RotaryConfig config{.dim = 64,
                                .base = big,
                                .scaling = scaling,
                                .factor = big,
                                .original_positions = 7,
                                .high_frequency_factor = big + 1,
                                .beta_fast = big};
      if (scaling == RotaryScaling::llama3 && big < 2) continue;
      for (const double frequency : rotary_frequencies(config)) CHECK((frequency >= 0 && frequency <= 1));
    }
  }
}

TEST_CASE("errors: position bias") {
  const auto refused = [](const std::vector<std::string>& words, const PositionBiasConfig& config) {
    expect_error(ErrorCode::invalid_argument, words, [&] { check_position_bias(config); });
  };
  check_position_bias({.kind = PositionBias::none, .alibi_max = not_a_number, .max_distance = -1});
  check_position_bias({.kind = PositionBias::t5});
  refused({"position_bias.kind", "5"}, {.kind = static_cast<PositionBias>(5)});
  for (const double max : {not_a_number, infinity, 0.0, -8.0}) {
    refused({"position_bias.alibi_max", "above 0"}, {.kind = PositionBias::alibi, .alibi_max = max});
  }
  refused({"position_bias.slopes", "3"}, {.kind = PositionBias::alibi, .slopes = static_cast<AlibiSlopes>(3)});
  for (const std::int64_t distance : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
    refused({"position_bias.max_distance is " + std::to_string(distance)},
            {.kind = PositionBias::t5, .max_distance = distance});
  }
}
