// The data of one checked layer.
#pragma once

#include "layout_search.hpp"

namespace headwise {

// The parts of the layer as f32 in canonical form. config is resolved and fits their shapes.
AttentionWeights read_layer(const WeightFile& file, const LaidOutLayer& layer, const AttentionConfig& config,
                            const LoadOptions& options);

}  // namespace headwise
