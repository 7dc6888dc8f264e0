// What a caller leaves open: filled from config.json beside the file and from what the layer's family means.
#pragma once

#include "config_json.hpp"
#include "layer_parts.hpp"
#include "model_types.hpp"

namespace headwise {

// config.json, unless the caller does not want it or there is none.
std::optional<ConfigJson> model_config(const WeightFile& file, const LoadOptions& options);

// Throws Error(invalid_argument) when neither the options, the layer's own shapes nor config.json say it.
std::int64_t choose_heads(const WeightFile& file, const LaidOutLayer& layer, const LoadOptions& options,
                          const std::optional<ConfigJson>& config);

// The options with everything given that config.json or the family tells; what was given stays. Throws Error(bad_file)
// or Error(unsupported) for a config that is wrong, does not fit the layer or describes another attention.
LoadOptions fill_options(const LoadOptions& options, const std::optional<ConfigJson>& config, const LaidOutLayer& layer,
                         const LayerSizes& sizes);

}  // namespace headwise
