// A layer in words and in JSON.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "json_output.hpp"
#include "layer_job.hpp"

namespace headwise::tools {

std::string describe_layer(const LoadedLayer& loaded, const LayerOptions& options);
// "12 heads of 64, width 768, scale 0.125"
std::string describe_sizes(const AttentionConfig& config);
// What the layer has beyond plain attention, one thing an entry: "rotary 64 half-split, base 10000", "sinks".
std::vector<std::string> describe_extras(const AttentionWeights& weights);
Json config_json(const AttentionWeights& weights);

}  // namespace headwise::tools
