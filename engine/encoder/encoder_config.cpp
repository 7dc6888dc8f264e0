#include "encoder_config.hpp"

#include <iterator>

#include "config_json.hpp"
#include "text.hpp"

namespace headwise::encoder {

namespace {

struct NamedActivation {
  std::string_view name;
  Activation activation;
};
constexpr NamedActivation activations[] = {
    {"gelu", Activation::gelu}, {"gelu_new", Activation::gelu_tanh}, {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"relu", Activation::relu}, {"silu", Activation::silu},          {"swish", Activation::silu}};

[[noreturn]] void refuse_model(const ConfigJson& json, const std::string& problem) {
  json.refuse(problem, ErrorCode::unsupported);
}

const Family& family_of(const ConfigJson& json) {
  const auto type = json.text("", "model_type");
  if (!type) json.refuse("no model_type; expected one of " + std::string(known_model_types()));
  if (const Family* family = find_family(*type)) return *family;
  refuse_model(json, "model_type " + in_quotes(*type) + " is no encoder that headwise runs; those are " +
                         std::string(known_model_types()));
}

Activation activation_of(const ConfigJson& json, std::string_view key) {
  const std::string name = json.text("", key).value_or("gelu");
  for (const NamedActivation& known : activations) {
    if (known.name == name) return known.activation;
  }
  refuse_model(json, std::string(key) + " " + in_quotes(name) + " is not known; expected gelu, gelu_new, relu or silu");
}

// What would change the graph.
void check_kind(const ConfigJson& json) {
  const std::string positions = json.text("", "position_embedding_type").value_or("absolute");
  if (positions != "absolute") {
    refuse_model(json, "position_embedding_type " + in_quotes(positions) + " is not offered; expected absolute");
  }
  if (json.flag("", "is_decoder", false)) {
    refuse_model(json, "is_decoder is true: the model attends to the past only, and headwise runs encoders");
  }
  const auto embedding_size = json.positive_integer("", "embedding_size");
  if (embedding_size && embedding_size != json.positive_integer("", "hidden_size")) {
    refuse_model(json, "embedding_size " + std::to_string(*embedding_size) +
                           " is not hidden_size: embeddings that are projected to the width of the layers are not "
                           "offered");
  }
}

std::int64_t needed(const ConfigJson& json, std::string_view key) {
  const auto value = json.positive_integer("", key);
  if (!value) json.refuse(std::string(key) + " is missing");
  return *value;
}

std::int64_t stated(const ConfigJson& json, std::string_view key) {
  return json.positive_integer("", key).value_or(0);
}

// RoBERTa counts positions from pad_token_id + 1.
std::int64_t first_position(const ConfigJson& json, const Family& family) {
  if (!family.positions_after_padding) return 0;
  const std::int64_t padding = json.natural_number("", "pad_token_id").value_or(1);
  if (padding == INT64_MAX) json.refuse("pad_token_id is too large");
  return padding + 1;
}

EncoderConfig sizes_of(const ConfigJson& json, const Family& family) {
  EncoderConfig config;
  config.family = family.name;
  config.num_layers = needed(json, family.num_layers);
  config.model_dim = stated(json, family.model_dim);
  config.hidden_dim = stated(json, family.hidden_dim);
  config.vocabulary_size = stated(json, "vocab_size");
  config.max_positions = stated(json, "max_position_embeddings");
  const auto heads = json.num_heads();
  if (!heads) json.refuse("the number of heads (num_attention_heads or n_heads) is missing");
  config.num_heads = *heads;
  return config;
}

}  // namespace

StatedConfig read_config(const std::string& folder) {
  const auto json = ConfigJson::beside(folder);
  if (!json)
    throw Error(
        ErrorCode::io,
        in_quotes(folder) + ": there is no config.json, which says what the model is; it belongs beside the weights");
  StatedConfig result;
  result.family = &family_of(*json);
  check_kind(*json);
  result.config = sizes_of(*json, *result.family);
  result.config.first_position = first_position(*json, *result.family);
  result.config.activation = activation_of(*json, result.family->activation);
  result.config.layer_norm_epsilon = json->positive_number("", "layer_norm_eps").value_or(1e-12);
  if (!result.family->token_types.empty()) result.num_token_types = json->natural_number("", "type_vocab_size");
  return result;
}

}  // namespace headwise::encoder
