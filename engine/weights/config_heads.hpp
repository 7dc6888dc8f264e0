// Which numbers of config.json speak of a layer: models of several parts (text and vision, encoder and decoder) have
// one for each.
#pragma once

#include "config_json.hpp"

namespace headwise {

// The object that describes the part of the model to which the layer with this prefix belongs, "vision_config"; "" for
// the outer one.
std::string object_of_layer(const ConfigJson& config, std::string_view prefix);
// nullopt where the config does not tell it of this layer. Throws Error(bad_file).
std::optional<std::int64_t> heads_of_layer(const ConfigJson& config, std::string_view prefix);

}  // namespace headwise
