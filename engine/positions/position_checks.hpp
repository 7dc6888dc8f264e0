// Refuses configurations that have no meaning, before anything is computed from them.
#pragma once

#include <cstdint>

#include "headwise/positions.hpp"

namespace headwise {

// Bounds that keep tables made from a configuration small; no published model comes near them.
inline constexpr std::int64_t max_rotary_dim = std::int64_t{1} << 20;
inline constexpr std::int64_t max_t5_distance = std::int64_t{1} << 20;
inline constexpr std::int64_t max_alibi_heads = std::int64_t{1} << 20;

// Throw Error(invalid_argument) naming the field, what it must be and what it is. Fields that the chosen kind does not
// read are not looked at: nothing is wrong with RotaryConfig{} (dim 0) or PositionBias::none.
void check_rotary(const RotaryConfig& config, std::int64_t head_dim = max_rotary_dim);
void check_position_bias(const PositionBiasConfig& config);
void check_t5_buckets(std::int64_t num_buckets, const PositionBiasConfig& config);

}  // namespace headwise
