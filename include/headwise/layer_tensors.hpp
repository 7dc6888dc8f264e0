// The tensors of a layer by their names, for code that does the same to each.
#pragma once

#include <span>

#include "headwise/weights.hpp"

namespace headwise {

struct LayerTensor {
  const char* name;
  Tensor AttentionWeights::*tensor;
};

// All of them, in the order of headwise_part.
inline constexpr LayerTensor layer_tensors[] = {{"query_weight", &AttentionWeights::query_weight},
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
                                                {"relative_bias", &AttentionWeights::relative_bias},
                                                {"alibi_slopes", &AttentionWeights::alibi_slopes}};

// Those that files keep as tensors; the slopes stand in their metadata.
inline constexpr auto stored_tensors = std::span(layer_tensors).first<std::size(layer_tensors) - 1>();

}  // namespace headwise
