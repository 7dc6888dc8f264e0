// What a layer needs beside its tensors, as text that a file keeps in its metadata under "headwise.settings:" + prefix.
// With them a pruned layer loads with its own heads, not with those of config.json beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "headwise/weights.hpp"

namespace headwise {

struct LayerSettings {
  std::string family{};  // where several store a layer under the same names
  std::int64_t num_heads = 0;
  float scale = 0, softcap = 0, norm_epsilon = 0;
  bool add_zero_attention = false;
  RotaryConfig rotary{};
  PositionBiasConfig position_bias{};
  std::vector<float> alibi_slopes{};                          // one a head, or empty
  RowsWithoutKeys rows_without_keys = RowsWithoutKeys::zero;  // older files lack it
};

std::string settings_key(const std::string& prefix);
// A JSON object on one line; every number reads back as the same bits.
std::string settings_text(const AttentionWeights& weights, const std::string& family);

// nullopt when the file keeps none for this layer. Throws Error(bad_file) when they are damaged or of a later version.
std::optional<LayerSettings> stored_settings(const WeightFile& file, const std::string& prefix);
// Throws Error(bad_file): "the stored settings of layer 'prefix' are " + problem.
[[noreturn]] void refuse_settings(const WeightFile& file, const std::string& prefix, const std::string& problem);
// The options with what they leave open filled from the settings.
LoadOptions fill_from_settings(const LoadOptions& options, const LayerSettings& settings);

}  // namespace headwise
