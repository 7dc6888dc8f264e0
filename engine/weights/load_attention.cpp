#include <new>

#include "layer_completeness.hpp"
#include "layer_parts.hpp"
#include "layout_search.hpp"
#include "missing_layer.hpp"
#include "model_rotary.hpp"
#include "open_options.hpp"
#include "read_layer.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

AttentionLayer choose_layer(const WeightFile& file, const LoadOptions& options) {
  const std::vector<AttentionLayer> all = find_attention_layers(file);
  std::vector<AttentionLayer> layers;
  for (const AttentionLayer& layer : all) {
    const bool fits = options.prefix.empty() || same_prefix(layer.prefix, options.prefix);
    if (fits && (options.family.empty() || layer.family == options.family)) layers.push_back(layer);
  }
  if (layers.empty()) throw_missing_layer(file, all, options);
  const auto count = static_cast<std::int64_t>(layers.size());
  if (options.layer < 0 || options.layer >= count) {
    refuse(in_quotes(file.path()) + ": no layer " + std::to_string(options.layer) + ", there are " +
           std::to_string(count) + ", counted from 0");
  }
  return layers[static_cast<std::size_t>(options.layer)];
}

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

}  // namespace

AttentionWeights load_attention(const std::string& path, const LoadOptions& options) {
  return load_attention(WeightFile::open(path, options.open), options);
}

AttentionWeights load_attention(const WeightFile& file, const LoadOptions& options) try {
  const AttentionLayer layer = choose_layer(file, options);
  const std::optional<ConfigJson> config = model_config(file, options);
  const LayerSizes sizes = check_shapes(file, layer, choose_heads(file, options, config));
  const LoadOptions filled = fill_options(options, config, layer, sizes);
  check_completeness(file, layer, rules_of(filled, config));
  AttentionWeights weights = read_layer(file, layer, make_config(sizes, filled), filled);
  if (options.keep_heads.empty()) return weights;
  return keep_heads(weights, options.keep_heads);
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, in_quotes(file.path()) + ": no memory to load a layer");
}

}  // namespace headwise
