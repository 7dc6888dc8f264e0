// The formulas of positions, from the papers and the comments of the header.
#pragma once

#include <vector>

#include "headwise/positions.hpp"

namespace differential {

// Turn of each pair of components for one step, and what cos and sin are multiplied by.
std::vector<double> turns(const headwise::RotaryConfig& config);
double magnitude(const headwise::RotaryConfig& config);

std::vector<double> slopes(const headwise::PositionBiasConfig& config, std::int64_t heads);
// distance = key position − query position.
std::int64_t bucket(std::int64_t distance, std::int64_t buckets, const headwise::PositionBiasConfig& config);

}  // namespace differential
