// Do a caller's tensors fit their config?
#pragma once

#include "headwise/weights.hpp"

namespace headwise {

// Tensors are taken by the config's sizes, so they must have them. Throws Error(invalid_argument) "<caller>:
// query_weight: expected shape …". The config is resolved.
void check_parts(const AttentionWeights& weights, const AttentionConfig& config, const std::string& caller);

}  // namespace headwise
