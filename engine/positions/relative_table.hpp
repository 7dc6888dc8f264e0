// The bias of relative positions in the form that kernels read: one number for each distance.
#pragma once

#include <cstdint>
#include <vector>

#include "headwise/positions.hpp"

namespace headwise {

// For PositionBias::t5: the bias of one head for distance = query position − key position. Element
// distance + max_distance + margin holds distances of −max_distance − margin … max_distance + margin; all at and past
// ±max_distance are equal on their side. bias: f32 [buckets, heads], contiguous. Throws Error(invalid_argument).
std::vector<float> relative_table(const float* bias, std::int64_t buckets, std::int64_t heads, std::int64_t head,
                                  const PositionBiasConfig& config, std::int64_t margin);

}  // namespace headwise
