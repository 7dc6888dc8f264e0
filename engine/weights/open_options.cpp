#include "open_options.hpp"

#include <cmath>

#include "config_heads.hpp"
#include "model_rotary.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

void check_size(const ConfigJson& config, const char* key, const LaidOutLayer& layer, std::uint64_t size) {
  const auto stated = config.positive_integer(object_of_layer(config, layer.prefix), key);
  if (!stated || static_cast<std::uint64_t>(*stated) == size) return;
  config.refuse(std::string(key) + " is " + std::to_string(*stated) + ", but the shapes of layer " +
                in_quotes(layer.prefix) + " make it " + std::to_string(size));
}

// With the number of heads of another model all else would load, as heads of another size.
void check_sizes(const ConfigJson& config, const LaidOutLayer& layer, const LayerSizes& sizes) {
  if (layer.family == "t5") check_size(config, "d_kv", layer, sizes.head_dim);
  if (!layer.layout().form.grouped) return;
  check_size(config, "num_key_value_heads", layer, sizes.num_kv_heads);
  // Falcon's number counts only here; in its older form multi_query makes it 1.
  if (config.flag("", "new_decoder_architecture", false)) check_size(config, "num_kv_heads", layer, sizes.num_kv_heads);
  check_size(config, "head_dim", layer, sizes.head_dim);
}

std::optional<float> model_scale(const ConfigJson& config, const ModelType* type) {
  if (config.flag("", "scale_attn_by_inverse_layer_idx", false)) {
    config.refuse(
        "scale_attn_by_inverse_layer_idx is true: the scale is divided by the number of the layer; give "
        "LoadOptions::scale",
        ErrorCode::unsupported);
  }
  if (!config.flag("", "scale_attn_weights", true)) return 1.0F;
  if (config.has_object("attn_config")) {
    if (const auto factor = config.positive_float("attn_config", "softmax_scale")) return factor;
  }
  if (const auto factor = config.positive_float("", "attention_multiplier")) return factor;
  const auto scalar = config.positive_float("", "query_pre_attn_scalar");
  if (scalar) return static_cast<float>(1.0 / std::sqrt(static_cast<double>(*scalar)));
  return type != nullptr ? type->scale : std::nullopt;
}

// Projections that are cut off at a bound.
void refuse_clipping(const ConfigJson& config) {
  for (const char* object : {"", "attn_config"}) {
    if (!config.has(object, "clip_qkv")) continue;
    config.refuse("clip_qkv is given, which is not supported", ErrorCode::unsupported);
  }
}

void fill_positions(LoadOptions& options, const ConfigJson& config, const LaidOutLayer& layer,
                    const LayerSizes& sizes) {
  const ModelType* type = model_type_of(config);
  const bool has_alibi = type != nullptr && type->positions == ModelPositions::alibi;
  if (has_alibi && !options.position_bias) options.position_bias = alibi_of_model(config);
  if (options.rotary) return;
  RotaryConfig rotary = rotary_of_model(config, static_cast<std::int64_t>(sizes.head_dim));
  if (layer.layout().form.turns_neighbours) rotary.layout = RotaryLayout::interleaved;
  if (rotary.dim > 0) options.rotary = rotary;  // else open: the file may still hold frequencies
}

void fill_from_config(LoadOptions& options, const ConfigJson& config, const LaidOutLayer& layer,
                      const LayerSizes& sizes) {
  const ModelType* type = model_type_of(config);
  refuse_clipping(config);
  if (!options.scale) options.scale = model_scale(config, type);
  if (!options.softcap) options.softcap = config.positive_float("", "attn_logit_softcapping");
  if (!options.norm_epsilon) options.norm_epsilon = config.positive_float("", "rms_norm_eps");
  if (!options.norm_plus_one && type != nullptr) options.norm_plus_one = type->norm_plus_one;
  fill_positions(options, config, layer, sizes);
}

// Cross-attention has no bias, and a decoder looks back only.
PositionBiasConfig t5_bias(const std::optional<ConfigJson>& config, const LaidOutLayer& layer) {
  PositionBiasConfig bias;
  if (layer.layout().extras.empty()) return bias;
  bias.kind = PositionBias::t5;
  bias.bidirectional = !has_component(layer.prefix, "decoder");
  const auto distance = config ? config->positive_integer("", "relative_attention_max_distance") : std::nullopt;
  bias.max_distance = distance.value_or(bias.max_distance);
  return bias;
}

void check_buckets(const ConfigJson& config, const AttentionLayer& layer, const LayerSizes& sizes) {
  const auto stated = config.positive_integer("", "relative_attention_num_buckets");
  if (!stated || sizes.buckets == 0 || static_cast<std::uint64_t>(*stated) == sizes.buckets) return;
  config.refuse("relative_attention_num_buckets is " + std::to_string(*stated) + ", but " +
                in_quotes(find_part(layer, "relative_bias")->tensor) + " has " + std::to_string(sizes.buckets));
}

void fill_t5(LoadOptions& options, const std::optional<ConfigJson>& config, const LaidOutLayer& layer,
             const LayerSizes& sizes) {
  if (!options.scale) options.scale = 1.0F;
  if (config) check_buckets(*config, layer, sizes);
  if (!options.position_bias) options.position_bias = t5_bias(config, layer);
}

// Half of the buckets of a direction are one distance each, the others reach to max_distance.
void check_distances(const PositionBiasConfig& bias, const AttentionLayer& layer, const LayerSizes& sizes) {
  if (bias.kind != PositionBias::t5 || sizes.buckets == 0) return;
  const std::uint64_t exact = sizes.buckets / (bias.bidirectional ? 4 : 2);
  if (exact > 0 && bias.max_distance > 0 && static_cast<std::uint64_t>(bias.max_distance) > exact) return;
  refuse("layer " + in_quotes(layer.prefix) + ": " + std::to_string(sizes.buckets) +
         " buckets of its relative bias do not fit max_distance " + std::to_string(bias.max_distance));
}

}  // namespace

std::optional<ConfigJson> model_config(const WeightFile& file, const LoadOptions& options) {
  return options.use_model_config ? ConfigJson::beside(file.path()) : std::nullopt;
}

std::int64_t choose_heads(const WeightFile& file, const LaidOutLayer& layer, const LoadOptions& options,
                          const std::optional<ConfigJson>& config) {
  if (options.num_heads < 0) refuse("num_heads is negative: " + std::to_string(options.num_heads));
  if (options.num_heads > 0) return options.num_heads;
  if (layer.widths.num_heads > 0) return static_cast<std::int64_t>(layer.widths.num_heads);
  const auto heads = config ? heads_of_layer(*config, layer.prefix) : std::nullopt;
  if (heads) return *heads;
  const std::string source = options.use_model_config
                                 ? "there is no config.json beside " + in_quotes(file.path()) + " that tells it"
                                 : "config.json is not to be used";
  refuse("the number of heads is not known: num_heads is not given, and " + source);
}

LoadOptions fill_options(const LoadOptions& options, const std::optional<ConfigJson>& config, const LaidOutLayer& layer,
                         const LayerSizes& sizes) {
  LoadOptions filled = options;
  if (config && options.num_heads == 0) check_sizes(*config, layer, sizes);
  if (config) fill_from_config(filled, *config, layer, sizes);
  if (layer.family == "t5") fill_t5(filled, config, layer, sizes);
  if (filled.position_bias) check_distances(*filled.position_bias, layer, sizes);
  return filled;
}

}  // namespace headwise
