// What no tensor and no key says but the name of the model does: "model_type" in config.json.
#pragma once

#include <optional>
#include <string_view>

#include "headwise/positions.hpp"

namespace headwise {

enum class ModelPositions {
  none,              // not rotary
  rotary,            // the same in every layer, as config.json describes it
  alibi,             // as the paper has it; MPT may do without
  differ_by_layers,  // not to be told from config.json alone
};

struct ModelType {
  std::string_view name;
  ModelPositions positions = ModelPositions::rotary;
  RotaryLayout layout = RotaryLayout::half_split;
  double rope_theta = 0;            // of configs that do not say it; 0: they must
  std::string_view without_bias{};  // roles that have no bias though others of the layer have one
  bool norm_plus_one = false;       // the norms of query and key are stored less one
  std::optional<float> scale{};     // instead of 1/√head_dim
};

// nullptr when headwise does not know the model. To add one, add a row in model_types.cpp.
const ModelType* find_model_type(std::string_view name) noexcept;

}  // namespace headwise
