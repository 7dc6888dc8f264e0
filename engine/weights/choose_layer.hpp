// Which layers of a file a caller means, and by which layout each is read.
#pragma once

#include <optional>
#include <vector>

#include "config_json.hpp"
#include "layout_search.hpp"
#include "name_map.hpp"

namespace headwise {

// What decides beside the file itself.
struct Choice {
  const LoadOptions& options;
  const std::optional<ConfigJson>& config;
  const std::optional<NameMap>& map;
};

// The map that the options name, if they name one. Throws Error(invalid_argument) when they name a prefix or a family
// too, else what reading it throws.
std::optional<NameMap> map_of(const LoadOptions& options);

// The layers that the options choose among, numbered from 0, those of a map by their own numbers. Each has one layout,
// or several and no family. Throws like load_attention when there is none.
std::vector<LaidOutLayer> eligible_layers(const WeightFile& file, const Choice& choice);
// The one that they choose. Throws Error(invalid_argument) when it is not there or its family is open,
// Error(unsupported) when headwise only knows its name.
LaidOutLayer choose_layer(const WeightFile& file, const Choice& choice);

}  // namespace headwise
