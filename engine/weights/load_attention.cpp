#include <algorithm>

#include "choose_layer.hpp"
#include "float_mode.hpp"
#include "headwise/weight_layouts.hpp"
#include "layer_completeness.hpp"
#include "layer_parts.hpp"
#include "layer_settings.hpp"
#include "model_rotary.hpp"
#include "open_options.hpp"
#include "out_of_memory.hpp"
#include "read_layer.hpp"
#include "text.hpp"

namespace headwise {
namespace {

Completeness rules_of(const LoadOptions& options, const std::optional<ConfigJson>& config) {
  const ModelType* type = config ? model_type_of(*config) : nullptr;
  Completeness rules;
  rules.rotary_known = options.rotary.has_value();
  rules.allow_missing_bias = options.allow_missing_bias;
  if (type != nullptr) rules.without_bias = type->without_bias;
  rules.needs_relative_bias = options.position_bias && options.position_bias->kind == PositionBias::t5;
  return rules;
}

AttentionConfig sizes_of(const LayerSizes& sizes) {
  AttentionConfig config;
  const std::pair<std::int64_t*, std::uint64_t> members[] = {{&config.num_heads, sizes.num_heads},
                                                             {&config.num_kv_heads, sizes.num_kv_heads},
                                                             {&config.head_dim, sizes.head_dim},
                                                             {&config.value_dim, sizes.value_dim},
                                                             {&config.model_dim, sizes.query_inputs},
                                                             {&config.key_input_dim, sizes.key_inputs},
                                                             {&config.value_input_dim, sizes.value_inputs},
                                                             {&config.output_dim, sizes.output_rows}};
  for (const auto& [member, size] : members) *member = static_cast<std::int64_t>(size);
  return config;
}

AttentionConfig make_config(const LayerSizes& sizes, const LoadOptions& options) {
  AttentionConfig config = sizes_of(sizes);
  config.scale = options.scale;
  config.rows_without_keys = options.rows_without_keys;
  config.softcap = options.softcap.value_or(config.softcap);
  config.add_zero_attention = options.add_zero_attention;
  config.rotary = options.rotary.value_or(config.rotary);
  config.position_bias = options.position_bias.value_or(config.position_bias);
  config.norm_epsilon = options.norm_epsilon.value_or(config.norm_epsilon);
  return resolve(config);
}

LoadOptions with_heads_of(const std::optional<NameMap>& map, LoadOptions options) {
  if (map && options.num_heads == 0) options.num_heads = map->num_heads();
  return options;
}

bool checks_stored(const WeightFile& file, const std::string& prefix, StoredCheck when) {
  return when == StoredCheck::required || (when == StoredCheck::when_present && has_stored_check(file, prefix));
}

// Settings of other tensors than these would give wrong numbers without a word.
void check_family(const WeightFile& file, const LaidOutLayer& layer, const LayerSettings& settings) {
  if (settings.family == layer.family) return;
  refuse_settings(file, layer.prefix,
                  "of the family " + in_quotes(settings.family) + ", but its tensors are of " + layer.family);
}

// A map says all itself, and so does a caller who wants nothing taken from elsewhere.
std::optional<LayerSettings> settings_of(const WeightFile& file, const LaidOutLayer& layer,
                                         const LoadOptions& options) {
  if (!options.use_model_config || !options.name_map.empty()) return std::nullopt;
  auto settings = stored_settings(file, layer.prefix);
  if (settings && options.family.empty()) check_family(file, layer, *settings);
  return settings;
}

void take_slopes(const WeightFile& file, const LayerSettings& settings, AttentionWeights& weights) {
  if (settings.alibi_slopes.empty()) return;
  const auto count = static_cast<std::int64_t>(settings.alibi_slopes.size());
  if (count != weights.config.num_heads) {
    throw Error(ErrorCode::bad_file, in_quotes(file.path()) + ": the stored settings have " + std::to_string(count) +
                                         " ALiBi slopes for " + std::to_string(weights.config.num_heads) + " heads");
  }
  weights.alibi_slopes = Tensor({count});
  std::copy(settings.alibi_slopes.begin(), settings.alibi_slopes.end(), weights.alibi_slopes.data());
}

// Where the numbers of a layer come from that its caller leaves open.
struct Sources {
  const WeightFile& file;
  const LaidOutLayer& layer;
  const std::optional<NameMap>& map;
  const std::optional<ConfigJson>& config;
  const std::optional<LayerSettings>& settings;
};

// What does not fit is the caller's argument only where the caller gave it.
template <class Step>
auto blaming(const Sources& from, bool is_given, Step step) try {
  return step();
} catch (const Error& error) {
  if (error.code() != ErrorCode::invalid_argument || is_given) throw;
  if (from.settings) refuse_settings(from.file, from.layer.prefix, std::string("damaged: ") + error.what());
  if (from.config) from.config->refuse(error.what());
  throw;
}

LayerSizes sizes_of_layer(const Sources& from, const LoadOptions& options, std::int64_t heads) {
  const bool are_given = with_heads_of(from.map, options).num_heads > 0;
  return blaming(from, are_given, [&] { return check_shapes(from.file, from.layer, heads); });
}

bool fit(const LayerSizes& sizes, const LoadOptions& options) try {
  make_config(sizes, options);
  return true;
} catch (const Error&) {
  return false;
}

AttentionConfig config_of_layer(const Sources& from, const LayerSizes& sizes, const LoadOptions& options,
                                const LoadOptions& filled) {
  return blaming(from, !fit(sizes, options), [&] { return make_config(sizes, filled); });
}

}  // namespace

AttentionWeights load_attention(const std::string& path, const LoadOptions& options) try {
  return load_attention(WeightFile::open(path, options.open), options);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to load a layer");
}

AttentionWeights load_attention(const WeightFile& file, const LoadOptions& options) try {
  const FloatMode mode;
  const std::optional<NameMap> map = map_of(options);
  const std::optional<ConfigJson> config = model_config(file, options);
  const LaidOutLayer layer = choose_layer(file, {options, config, map});
  const std::optional<LayerSettings> settings = settings_of(file, layer, options);
  const LoadOptions told = settings ? fill_from_settings(options, *settings) : options;
  const Sources from{file, layer, map, config, settings};
  const LayerSizes sizes = sizes_of_layer(from, options, choose_heads(file, layer, with_heads_of(map, told), config));
  const LoadOptions filled =
      blaming(from, options.position_bias.has_value(), [&] { return fill_options(told, config, layer, sizes); });
  check_completeness(file, layer, rules_of(filled, config));
  AttentionWeights weights = read_layer(file, layer, config_of_layer(from, sizes, options, filled), filled);
  if (checks_stored(file, layer.prefix, options.stored_check)) check_stored(file, layer.prefix, weights);
  if (settings && !options.position_bias) take_slopes(file, *settings, weights);
  if (options.keep_heads.empty()) return weights;
  return keep_heads(weights, options.keep_heads);
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(file.path()) + ": no memory to load a layer"; });
}

}  // namespace headwise
