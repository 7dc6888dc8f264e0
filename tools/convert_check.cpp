// Is what was written what was meant? Layouts that are turned round wrongly give shapes that load.
#include <cstring>

#include "convert_job.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// What load_arguments() tells the user to give.
void give_settings(const AttentionConfig& config, LoadOptions& load) {
  load.use_model_config = false;
  load.num_heads = config.num_heads;
  load.scale = config.scale;
  load.softcap = config.softcap;
  load.norm_epsilon = config.norm_epsilon;
  load.add_zero_attention = config.add_zero_attention;
  load.rows_without_keys = config.rows_without_keys;
  load.rotary = config.rotary;
  load.position_bias = config.position_bias;
}

// Of a .npz file, which keeps no settings, all that the tensors do not say is given; nothing of another.
LoadOptions options_for(const WeightFile& file, const ConvertedLayer& layer) {
  LoadOptions load;
  load.family = layer.stored.family;
  load.prefix = layer.stored.prefix;
  if (std::string_view(file.format()) == "npz") give_settings(resolve(layer.weights.config), load);
  for (const AttentionLayer& found : find_attention_layers(file, load)) {
    if (found.prefix == layer.stored.prefix) load.layer = found.index;
  }
  return load;
}

// A bias that was not given is written as zeros where others are.
bool same_or_zero(const Tensor& before, const Tensor& after) {
  const std::size_t bytes = static_cast<std::size_t>(after.size()) * sizeof(float);
  if (before.given()) return before.shape() == after.shape() && std::memcmp(before.data(), after.data(), bytes) == 0;
  for (std::int64_t i = 0; i < after.size(); ++i) {
    if (after.data()[i] != 0) return false;
  }
  return true;
}

[[noreturn]] void refuse(const std::string& path, const std::string& part, const ConvertedLayer& layer) {
  throw CommandError(path + ": " + part + " of layer " + std::to_string(layer.from.index) +
                     " does not come back as it was; please report this");
}

}  // namespace

void check_written(const Conversion& conversion, const WeightFile& file, const std::string& path) {
  for (const ConvertedLayer& layer : conversion.layers) {
    const AttentionWeights loaded = load_attention(file, options_for(file, layer));
    for (const LayerTensor& part : stored_tensors) {
      if (same_or_zero(layer.weights.*part.tensor, loaded.*part.tensor)) continue;
      refuse(path, part.name, layer);
    }
    // The metadata say all that a layer is beside its tensors.
    const StoredLayer again = store_layer(loaded, {.family = layer.stored.family, .prefix = layer.stored.prefix});
    if (again.metadata != layer.stored.metadata) refuse(path, "what is set beside the tensors", layer);
  }
}

}  // namespace headwise::tools
