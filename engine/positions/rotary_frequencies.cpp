#include <algorithm>
#include <cmath>
#include <numbers>

#include "headwise/positions.hpp"
#include "out_of_memory.hpp"
#include "position_checks.hpp"

namespace headwise {
namespace {

constexpr double turn = 2 * std::numbers::pi;

double unscaled(const RotaryConfig& config, double base, std::int64_t pair) {
  return std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(config.dim));
}

// A single pair turns by base^0 whatever the base is, and its exponent below would be 2/0.
double ntk_base(const RotaryConfig& config) {
  const auto dim = static_cast<double>(config.dim);
  return config.dim == 2 ? config.base : config.base * std::pow(config.factor, dim / (dim - 2));
}

// The (fractional) pair that makes `turns` turns over the trained length.
double pair_of_turns(const RotaryConfig& config, double turns) {
  const double ratio = static_cast<double>(config.original_positions) / (turns * turn);
  return static_cast<double>(config.dim) * std::log(ratio) / (2 * std::log(config.base));
}

// How far each pair's frequency is moved towards frequency / factor: 0 below the pair of beta_fast turns, 1 past that
// of beta_slow. The bounds are whole pairs, as in the authors' code.
struct Ramp {
  double low, high;

  explicit Ramp(const RotaryConfig& config) {
    const auto dim = static_cast<double>(config.dim);
    low = std::clamp(std::floor(pair_of_turns(config, config.beta_fast)), 0.0, dim);
    high = std::min(std::ceil(pair_of_turns(config, config.beta_slow)), dim - 1);
    high = std::max(high, low + 0.001);  // never 0/0
  }
  double operator()(std::int64_t pair) const {
    return std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
  }
};

// Turns over the trained length decide: fewer than low_frequency_factor are stretched, more than high_… kept.
double llama3(const RotaryConfig& config, double frequency) {
  const double turns = static_cast<double>(config.original_positions) * frequency / turn;
  const double low = config.low_frequency_factor, high = config.high_frequency_factor;
  const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
  return (1 - kept) * frequency / config.factor + kept * frequency;
}

double scaled(const RotaryConfig& config, const Ramp& ramp, std::int64_t pair) {
  const double frequency = unscaled(config, config.base, pair);
  switch (config.scaling) {
    case RotaryScaling::linear:
      return frequency / config.factor;
    case RotaryScaling::ntk:
      return unscaled(config, ntk_base(config), pair);
    case RotaryScaling::yarn:
      return ramp(pair) * frequency / config.factor + (1 - ramp(pair)) * frequency;
    case RotaryScaling::llama3:
      return llama3(config, frequency);
    case RotaryScaling::none:
      break;
  }
  return frequency;
}

}  // namespace

std::vector<double> rotary_frequencies(const RotaryConfig& config) try {
  check_rotary(config);
  const RotaryConfig plain =
      config.scaling == RotaryScaling::yarn ? config : RotaryConfig{.dim = 2, .original_positions = 1};
  const Ramp ramp(plain);  // of yarn alone; the fields of others may be anything
  std::vector<double> frequencies(static_cast<std::size_t>(config.dim / 2));
  for (std::int64_t pair = 0; pair < config.dim / 2; ++pair) {
    frequencies[static_cast<std::size_t>(pair)] = scaled(config, ramp, pair);
  }
  return frequencies;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for frequencies");
}

double rotary_magnitude(const RotaryConfig& config) try {
  check_rotary(config);
  if (config.dim == 0 || config.scaling != RotaryScaling::yarn) return 1;
  return config.attention_factor > 0 ? config.attention_factor : 0.1 * std::log(config.factor) + 1;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a rotary embedding");
}

}  // namespace headwise
