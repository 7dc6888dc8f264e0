// Whether the tensors of a layer, what is stored beside them and what the caller says fit each other, before any tensor
// is read.
#pragma once

#include <optional>

#include "layer_settings.hpp"
#include "layout_search.hpp"

namespace headwise {

struct FittedLayer {
  LaidOutLayer layer;
  std::optional<LayerSettings> settings;
  LoadOptions options;  // with everything given
  AttentionConfig config;
};

// Throws like load_attention: Error(invalid_argument) for what the caller gave and the files do not bear out,
// Error(bad_file) for what contradicts itself without that.
FittedLayer fit_layer(const WeightFile& file, const LoadOptions& options);

}  // namespace headwise
