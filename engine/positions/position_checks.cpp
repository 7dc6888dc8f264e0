#include "position_checks.hpp"

#include <cmath>
#include <string>

#include "number_text.hpp"
#include "view_checks.hpp"

namespace headwise {
namespace {

void refuse_value(const char* name, const std::string& found, const std::string& expected) {
  refuse(name, "is " + found + "; expected " + expected);
}

// Infinity and NaN never are at least anything here.
void require_at_least(const char* name, double value, double least) {
  if (std::isfinite(value) && value >= least) return;
  refuse_value(name, number_text(value), "a finite number of at least " + number_text(least));
}

void require_above(const char* name, double value, double bound) {
  if (std::isfinite(value) && value > bound) return;
  refuse_value(name, number_text(value), "a finite number above " + number_text(bound));
}

void require_between(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  refuse_value(name, std::to_string(value), std::to_string(least) + " to " + std::to_string(most));
}

template <class Enumeration>
void require_listed(const char* name, Enumeration value, Enumeration last) {
  const int number = static_cast<int>(value);
  if (number < 0 || number > static_cast<int>(last)) refuse(name, "is no value of its type: " + std::to_string(number));
}

void check_dim(std::int64_t dim, std::int64_t head_dim) {
  require_between("rotary.dim", dim, 0, head_dim < max_rotary_dim ? head_dim : max_rotary_dim);
  if (dim % 2 != 0) refuse_value("rotary.dim", std::to_string(dim), "an even number: components turn in pairs");
}

void check_trained_length(const RotaryConfig& config) {
  if (config.original_positions > 0) return;
  refuse_value("rotary.original_positions", std::to_string(config.original_positions),
               "the length that the model was trained with");
}

void check_yarn(const RotaryConfig& config) {
  check_trained_length(config);
  require_above("rotary.base", config.base, 1);  // its logarithm divides
  require_above("rotary.beta_slow", config.beta_slow, 0);
  require_at_least("rotary.beta_fast", config.beta_fast, config.beta_slow);
  require_at_least("rotary.attention_factor", config.attention_factor, 0);
}

void check_llama3(const RotaryConfig& config) {
  check_trained_length(config);
  require_above("rotary.low_frequency_factor", config.low_frequency_factor, 0);
  require_above("rotary.high_frequency_factor", config.high_frequency_factor, config.low_frequency_factor);
}

}  // namespace

void check_rotary(const RotaryConfig& config, std::int64_t head_dim) {
  check_dim(config.dim, head_dim);
  if (config.dim == 0) return;
  require_listed("rotary.layout", config.layout, RotaryLayout::interleaved);
  require_listed("rotary.scaling", config.scaling, RotaryScaling::llama3);
  // From 1 on no pair turns by more than one radian a step, so that angles of any position are finite.
  require_at_least("rotary.base", config.base, 1);
  if (config.scaling == RotaryScaling::none) return;
  require_at_least("rotary.factor", config.factor, 1);
  if (config.scaling == RotaryScaling::yarn) check_yarn(config);
  if (config.scaling == RotaryScaling::llama3) check_llama3(config);
}

void check_position_bias(const PositionBiasConfig& config) {
  require_listed("position_bias.kind", config.kind, PositionBias::t5);
  if (config.kind == PositionBias::alibi) {
    require_listed("position_bias.slopes", config.slopes, AlibiSlopes::geometric);
    require_above("position_bias.alibi_max", config.alibi_max, 0);
  }
  if (config.kind == PositionBias::t5) {
    require_between("position_bias.max_distance", config.max_distance, 2, max_t5_distance);
  }
}

void check_t5_buckets(std::int64_t num_buckets, const PositionBiasConfig& config) {
  require_between("position_bias.max_distance", config.max_distance, 2, max_t5_distance);
  // Half of a side's buckets hold one distance each and end before max_distance, where the logarithm takes over.
  const std::int64_t sides = config.bidirectional ? 2 : 1;
  require_between("num_buckets", num_buckets, 2 * sides, 4 * max_t5_distance);
  const std::int64_t exact = num_buckets / sides / 2;
  if (exact < config.max_distance) return;
  refuse("num_buckets", "is " + std::to_string(num_buckets) + ", of which " + std::to_string(exact) +
                            " a side hold one distance each; expected fewer than position_bias.max_distance, " +
                            std::to_string(config.max_distance));
}

}  // namespace headwise
