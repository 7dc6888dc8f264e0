// The parts of a layer that lie in tensors of their own.
#pragma once

#include "headwise/weights.hpp"

namespace headwise {

struct RolePart {
  const char* role;
  Tensor AttentionWeights::*tensor;
};

// Others, as files have them, are put together of these.
inline constexpr RolePart single_parts[] = {{"query_weight", &AttentionWeights::query_weight},
                                            {"key_weight", &AttentionWeights::key_weight},
                                            {"value_weight", &AttentionWeights::value_weight},
                                            {"output_weight", &AttentionWeights::output_weight},
                                            {"query_bias", &AttentionWeights::query_bias},
                                            {"key_bias", &AttentionWeights::key_bias},
                                            {"value_bias", &AttentionWeights::value_bias},
                                            {"output_bias", &AttentionWeights::output_bias},
                                            {"query_norm", &AttentionWeights::query_norm},
                                            {"key_norm", &AttentionWeights::key_norm},
                                            {"sinks", &AttentionWeights::sinks},
                                            {"bias_key", &AttentionWeights::bias_key},
                                            {"bias_value", &AttentionWeights::bias_value},
                                            {"relative_bias", &AttentionWeights::relative_bias}};

// A caller's tensors are taken by the config's sizes, so they must have them. Throws Error(invalid_argument) "<caller>:
// query_weight: expected shape …". The config is resolved.
void check_parts(const AttentionWeights& weights, const AttentionConfig& config, const std::string& caller);

}  // namespace headwise
