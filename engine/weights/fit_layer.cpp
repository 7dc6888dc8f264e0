#include "fit_layer.hpp"

#include "choose_layer.hpp"
#include "config_heads.hpp"
#include "layer_completeness.hpp"
#include "layer_parts.hpp"
#include "model_rotary.hpp"
#include "number_words.hpp"
#include "open_options.hpp"
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

// The layer that is meant and what its files say, which may not fit each other yet.
struct Chosen {
  std::optional<NameMap> map;
  std::optional<ConfigJson> config;
  LaidOutLayer layer;
  std::optional<LayerSettings> settings;
  std::int64_t heads;
};

LoadOptions fill_from(const std::optional<LayerSettings>& settings, const LoadOptions& options) {
  return settings ? fill_from_settings(options, *settings) : options;
}

Chosen choose(const WeightFile& file, const LoadOptions& options) {
  std::optional<NameMap> map = map_of(options);
  std::optional<ConfigJson> config = model_config(file, options);
  LaidOutLayer layer = choose_layer(file, {options, config, map});
  check_parts(file, layer);
  std::optional<LayerSettings> settings = settings_of(file, layer, options);
  LoadOptions told = fill_from(settings, options);
  if (map && told.num_heads == 0) told.num_heads = map->num_heads();
  const std::int64_t heads = choose_heads(file, layer, told, config);
  return {std::move(map), std::move(config), std::move(layer), std::move(settings), heads};
}

LayerSizes sizes_of(const WeightFile& file, const Chosen& chosen) {
  return check_shapes(file, chosen.layer, chosen.heads);
}

struct Numbers {
  LoadOptions options;
  AttentionConfig config;
};

Numbers numbers_of(const WeightFile& file, const Chosen& chosen, const LayerSizes& sizes, const LoadOptions& options) {
  const LoadOptions filled = fill_options(fill_from(chosen.settings, options), chosen.config, chosen.layer, sizes);
  check_completeness(file, chosen.layer, rules_of(filled, chosen.config));
  return {filled, make_config(sizes, filled)};
}

bool gives_numbers(const LoadOptions& o) {
  return o.num_heads > 0 || o.scale || o.softcap || o.rotary || o.position_bias || o.norm_epsilon || o.norm_plus_one;
}

LoadOptions without_numbers(LoadOptions options, bool but_heads) {
  if (!but_heads) options.num_heads = 0;
  options.scale = options.softcap = options.norm_epsilon = std::nullopt;
  options.rotary.reset();
  options.position_bias.reset();
  options.norm_plus_one.reset();
  return options;
}

std::optional<Chosen> try_choose(const WeightFile& file, const LoadOptions& options) try {
  return choose(file, options);
} catch (const Error&) {
  return std::nullopt;
}

// What is wrong with the files when the caller says only what they leave open; "" when nothing is.
std::string problem_of_files(const WeightFile& file, const LoadOptions& options) try {
  for (const bool but_heads : {false, true}) {
    const LoadOptions less = without_numbers(options, but_heads);
    const std::optional<Chosen> chosen = try_choose(file, less);
    if (chosen) return numbers_of(file, *chosen, sizes_of(file, *chosen), less), "";
  }
  return "";
} catch (const Error& error) {
  return error.what();
}

std::string as_given(const LoadOptions& options) {
  std::string text;
  if (!options.family.empty()) text += " (family was given as " + in_quotes(options.family) + ")";
  if (options.num_heads > 0) text += " (num_heads was given as " + std::to_string(options.num_heads) + ")";
  return text;
}

bool may_be_blamed(const Error& error) {
  return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::bad_file;
}

// Who said how many heads there are, when it was not the caller. Other shapes may be wrong for another reason.
[[noreturn]] void blame_files_for_heads(const WeightFile& file, const Chosen& chosen, const Error& error) {
  const std::string count = std::to_string(chosen.heads), problem = error.what();
  const bool heads_alone = error.code() == ErrorCode::invalid_argument;
  const auto refuse_shape = [&](const std::string& source) {
    throw Error(ErrorCode::bad_file, problem + " (num_heads is " + count + " in " + source + ")");
  };
  if (chosen.map && chosen.map->num_heads() > 0) {
    const std::string map = in_quotes(chosen.map->path());
    if (heads_alone) throw Error(ErrorCode::bad_file, map + ": num_heads is " + count + ": " + problem);
    refuse_shape(map);
  }
  if (chosen.settings && heads_alone) refuse_settings(file, chosen.layer.prefix, "damaged: " + problem);
  if (chosen.settings) refuse_shape("the stored settings");
  if (chosen.config && heads_of_layer(*chosen.config, chosen.layer.prefix) == chosen.heads) {
    if (heads_alone) chosen.config->refuse(problem);
    refuse_shape("config.json");
  }
  throw error;
}

LayerSizes fitting_sizes(const WeightFile& file, const Chosen& chosen, const LoadOptions& options) try {
  return sizes_of(file, chosen);
} catch (const Error& error) {
  if (!may_be_blamed(error)) throw;
  const std::string problem = error.what() + as_given(options);
  if (options.num_heads == 0) blame_files_for_heads(file, chosen, Error(error.code(), problem));
  const bool is_callers = problem_of_files(file, options) != error.what();
  throw Error(is_callers ? ErrorCode::invalid_argument : error.code(), problem);
}

Numbers fitting_numbers(const WeightFile& file, const Chosen& chosen, const LayerSizes& sizes,
                        const LoadOptions& options) try {
  return numbers_of(file, chosen, sizes, options);
} catch (const Error& error) {
  if (!may_be_blamed(error)) throw;
  if (gives_numbers(options) && problem_of_files(file, options) != error.what()) {
    throw Error(ErrorCode::invalid_argument, error.what() + as_given(options));
  }
  if (error.code() == ErrorCode::bad_file) throw;
  if (chosen.settings) refuse_settings(file, chosen.layer.prefix, "damaged: " + in_settings_words(error.what()));
  if (chosen.config) chosen.config->refuse(in_config_words(error.what()));
  throw;
}

}  // namespace

FittedLayer fit_layer(const WeightFile& file, const LoadOptions& options) {
  Chosen chosen = choose(file, options);
  const LayerSizes sizes = fitting_sizes(file, chosen, options);
  Numbers numbers = fitting_numbers(file, chosen, sizes, options);
  return {std::move(chosen.layer), std::move(chosen.settings), std::move(numbers.options), std::move(numbers.config)};
}

}  // namespace headwise
