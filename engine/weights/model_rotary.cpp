#include "model_rotary.hpp"

#include <algorithm>
#include <cmath>

#include "text.hpp"

namespace headwise {
namespace {

constexpr const char* advice = "; give LoadOptions::rotary to load the layer";

// What is known to be in an object of scaling parameters. The last two have no say in the numbers.
constexpr std::string_view known_keys[] = {"rope_type",
                                           "type",
                                           "rope_theta",
                                           "partial_rotary_factor",
                                           "factor",
                                           "original_max_position_embeddings",
                                           "low_freq_factor",
                                           "high_freq_factor",
                                           "beta_fast",
                                           "beta_slow",
                                           "attention_factor",
                                           "finetuned",
                                           "max_position_embeddings"};

constexpr std::pair<std::string_view, RotaryScaling> scalings[] = {{"default", RotaryScaling::none},
                                                                   {"linear", RotaryScaling::linear},
                                                                   {"yarn", RotaryScaling::yarn},
                                                                   {"llama3", RotaryScaling::llama3}};

std::string parameters_of(const ConfigJson& config) {
  return config.has_object("rope_parameters") ? "rope_parameters" : "rope_scaling";
}

void refuse_unknown_keys(const ConfigJson& config, const std::string& object) {
  for (const auto& [name, entry] : config.entries()) {
    if (name.first != object || !config.has(object, name.second)) continue;
    if (std::find(std::begin(known_keys), std::end(known_keys), name.second) != std::end(known_keys)) continue;
    config.refuse(object + " holds " + in_quotes(name.second) + ", which is not supported" + advice,
                  ErrorCode::unsupported);
  }
}

RotaryScaling scaling_of(const ConfigJson& config, const std::string& object) {
  auto type = config.text(object, "rope_type");
  if (!type) type = config.text(object, "type");
  if (!type) return RotaryScaling::none;
  for (const auto& [name, scaling] : scalings) {
    if (*type == name) return scaling;
  }
  config.refuse(
      object + " of type " + in_quotes(*type) + " is not supported, known are default, linear, yarn, llama3" + advice,
      ErrorCode::unsupported);
}

double needed(const ConfigJson& config, const std::string& object, const char* key) {
  const auto number = config.positive_number(object, key);
  if (!number) config.refuse(object + " lacks " + key);
  return *number;
}

std::int64_t trained_positions(const ConfigJson& config, const std::string& object) {
  auto positions = config.positive_integer(object, "original_max_position_embeddings");
  if (!positions) positions = config.positive_integer("", "max_position_embeddings");
  if (!positions) config.refuse(object + " lacks original_max_position_embeddings");
  return *positions;
}

void read_scaling(const ConfigJson& config, const std::string& object, RotaryConfig& rotary) {
  refuse_unknown_keys(config, object);
  rotary.scaling = scaling_of(config, object);
  if (rotary.scaling == RotaryScaling::none) return;
  rotary.factor = needed(config, object, "factor");
  if (rotary.scaling == RotaryScaling::linear) return;
  rotary.original_positions = trained_positions(config, object);
  if (rotary.scaling == RotaryScaling::llama3) {
    rotary.low_frequency_factor = needed(config, object, "low_freq_factor");
    rotary.high_frequency_factor = needed(config, object, "high_freq_factor");
  } else {
    rotary.beta_fast = config.positive_number(object, "beta_fast").value_or(rotary.beta_fast);
    rotary.beta_slow = config.positive_number(object, "beta_slow").value_or(rotary.beta_slow);
    rotary.attention_factor = config.positive_float(object, "attention_factor").value_or(0);
  }
}

// The first of these keys that is there.
std::optional<double> first_number(const ConfigJson& config, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (const auto number = config.positive_number("", key)) return number;
  }
  return std::nullopt;
}

std::int64_t turned_components(const ConfigJson& config, const std::string& object, std::int64_t head_dim) {
  auto part = config.positive_number(object, "partial_rotary_factor");
  if (!part) part = first_number(config, {"partial_rotary_factor", "rotary_pct", "rotary_emb_fraction"});
  if (part.value_or(1) > 1) config.refuse("partial_rotary_factor is above 1");
  const auto whole = static_cast<std::int64_t>(static_cast<double>(head_dim) * part.value_or(1));
  const std::int64_t dim = config.positive_integer("", "rotary_dim").value_or(whole);
  if (dim > 0 && dim % 2 == 0 && dim <= head_dim) return dim;
  config.refuse("the rotary embedding of " + std::to_string(dim) + " components is not even or not between 2 and the " +
                std::to_string(head_dim) + " of a head");
}

double base_of(const ConfigJson& config, const std::string& object, const ModelType& type) {
  auto base = config.positive_number(object, "rope_theta");
  if (!base) base = first_number(config, {"rope_theta", "rotary_emb_base"});
  if (!base && type.rope_theta == 0) config.refuse("lacks rope_theta");
  return base.value_or(type.rope_theta);
}

RotaryConfig described(const ConfigJson& config, const ModelType& type, std::int64_t head_dim) {
  const std::string object = parameters_of(config);
  RotaryConfig rotary;
  rotary.dim = turned_components(config, object, head_dim);
  const bool turns_neighbours = config.flag("", "rotary_emb_interleaved", type.layout == RotaryLayout::interleaved);
  rotary.layout = turns_neighbours ? RotaryLayout::interleaved : RotaryLayout::half_split;
  rotary.base = base_of(config, object, type);
  if (config.has_object(object)) read_scaling(config, object, rotary);
  return rotary;
}

bool speaks_of_positions(const ConfigJson& config) {
  if (config.text("", "position_embedding_type").value_or("absolute") != "absolute") return true;
  if (config.flag("", "alibi", false)) return true;
  constexpr const char* keys[] = {"rope_theta", "rope_scaling",    "rope_parameters",    "rotary_dim",
                                  "rotary_pct", "rotary_emb_base", "rotary_emb_fraction"};
  // The last three hold the language model of one that sees or hears too.
  for (const char* object : {"", "text_config", "llm_config", "language_config"}) {
    if (std::any_of(std::begin(keys), std::end(keys), [&](const char* key) { return config.has(object, key); }))
      return true;
  }
  return false;
}

}  // namespace

const ModelType* model_type_of(const ConfigJson& config) {
  const auto name = config.text("", "model_type");
  return name ? find_model_type(*name) : nullptr;
}

RotaryConfig rotary_of_model(const ConfigJson& config, std::int64_t head_dim) {
  const ModelType* type = model_type_of(config);
  const bool named = config.has("", "model_type");
  // Falcon's comes before the scale. What BLOOM and MPT have is no matter of this flag.
  if (config.flag("", "alibi", false) && (type == nullptr || type->positions == ModelPositions::rotary)) {
    config.refuse(std::string("alibi is true, which is known of other models only") + advice, ErrorCode::unsupported);
  }
  if (type != nullptr && type->positions == ModelPositions::rotary) return described(config, *type, head_dim);
  if (type == nullptr && !speaks_of_positions(config)) return {};
  if (type != nullptr && type->positions != ModelPositions::differ_by_layers) return {};
  // Without a name the keys mean what they mean for Llama.
  if (!named && config.has("", "rope_theta")) return described(config, ModelType{}, head_dim);
  const std::string model = config.text("", "model_type").value_or("without model_type");
  config.refuse("the positions of the model " + in_quotes(model) + " are not known" + advice, ErrorCode::unsupported);
}

PositionBiasConfig alibi_of_model(const ConfigJson& config) {
  PositionBiasConfig bias;
  const bool described = config.has_object("attn_config");
  if (described && !config.flag("attn_config", "alibi", true)) return bias;
  bias.kind = PositionBias::alibi;
  if (described) bias.alibi_max = config.positive_number("attn_config", "alibi_bias_max").value_or(bias.alibi_max);
  return bias;
}

}  // namespace headwise
