#include "layer_tensors.hpp"

namespace headwise::tools {

const std::vector<LayerTensor>& layer_tensors() {
  static const std::vector<LayerTensor> tensors{{"query_weight", &AttentionWeights::query_weight},
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
                                                {"alibi_slopes", &AttentionWeights::alibi_slopes, false}};
  return tensors;
}

}  // namespace headwise::tools
