#include "float64_positions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace differential {

using namespace headwise;

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// The pair, as a real number, that turns `rounds` times over the trained length.
double pair_of(double rounds, const RotaryConfig& c) {
  return double(c.dim) * std::log(double(c.original_positions) / (rounds * two_pi)) / (2 * std::log(c.base));
}

// Peng et al. 2023, as in the authors' code: fast pairs keep their turn, slow ones are divided by the factor.
double yarn(double turn, std::int64_t pair, const RotaryConfig& c) {
  const double low = std::max(std::floor(pair_of(c.beta_fast, c)), 0.0);
  double high = std::min(std::ceil(pair_of(c.beta_slow, c)), double(c.dim - 1));
  if (high == low) high += 0.001;
  const double slow = std::clamp((double(pair) - low) / (high - low), 0.0, 1.0);
  return turn * (1 - slow) + turn / c.factor * slow;
}

double llama3(double turn, const RotaryConfig& c) {
  const double rounds = double(c.original_positions) * turn / two_pi;
  const double kept =
      std::clamp((rounds - c.low_frequency_factor) / (c.high_frequency_factor - c.low_frequency_factor), 0.0, 1.0);
  return turn * kept + turn / c.factor * (1 - kept);
}

double scaled_turn(double turn, std::int64_t pair, const RotaryConfig& c) {
  switch (c.scaling) {
    case RotaryScaling::linear:
      return turn / c.factor;
    case RotaryScaling::yarn:
      return yarn(turn, pair, c);
    case RotaryScaling::llama3:
      return llama3(turn, c);
    default:
      return turn;
  }
}

// 2^(−max · k / count) for k = 1, 1 + step, … ≤ count.
void append_geometric(std::vector<double>& to, std::int64_t count, double max, std::int64_t step, std::int64_t wanted) {
  for (std::int64_t k = 1; k <= count && std::ssize(to) < wanted; k += step) {
    to.push_back(std::exp2(-max * double(k) / double(count)));
  }
}

// A distance in the logarithmic half of the buckets; the small shift keeps exact powers in the upper bucket.
std::int64_t far_bucket(std::int64_t distance, std::int64_t exact, std::int64_t buckets, std::int64_t max_distance) {
  const double share = std::log(double(distance) / double(exact)) / std::log(double(max_distance) / double(exact));
  const auto more = std::int64_t(std::floor(share * double(buckets - exact) + 1e-9));
  return std::min(exact + more, buckets - 1);
}

}  // namespace

std::vector<double> turns(const RotaryConfig& c) {
  const bool ntk = c.scaling == RotaryScaling::ntk;
  const double base = ntk ? c.base * std::pow(c.factor, double(c.dim) / double(c.dim - 2)) : c.base;
  std::vector<double> result;
  for (std::int64_t i = 0; i < c.dim / 2; ++i) {
    result.push_back(scaled_turn(std::pow(base, -2 * double(i) / double(c.dim)), i, c));
  }
  return result;
}

double magnitude(const RotaryConfig& c) {
  if (c.scaling != RotaryScaling::yarn) return 1;
  return c.attention_factor != 0 ? c.attention_factor : 0.1 * std::log(c.factor) + 1;
}

std::vector<double> slopes(const PositionBiasConfig& config, std::int64_t heads) {
  std::int64_t below = heads;
  if (config.slopes == AlibiSlopes::interleaved) {
    for (below = 1; 2 * below <= heads;) below *= 2;
  }
  std::vector<double> result;
  append_geometric(result, below, config.alibi_max, 1, heads);
  append_geometric(result, 2 * below, config.alibi_max, 2, heads);
  return result;
}

std::int64_t bucket(std::int64_t distance, std::int64_t buckets, const PositionBiasConfig& config) {
  const std::int64_t side = config.bidirectional ? buckets / 2 : buckets, exact = side / 2;
  const std::int64_t first = config.bidirectional && distance > 0 ? side : 0;
  const std::int64_t size = config.bidirectional ? std::abs(distance) : std::max<std::int64_t>(-distance, 0);
  return first + (size < exact ? size : far_bucket(size, exact, side, config.max_distance));
}

}  // namespace differential
