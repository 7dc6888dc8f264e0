#include "config_heads.hpp"

#include "layout_search.hpp"

namespace headwise {
namespace {

struct ModelPart {
  std::string_view component;  // of a prefix
  const char* object;
};

constexpr ModelPart model_parts[] = {{"vision_model", "vision_config"},     {"vision_tower", "vision_config"},
                                     {"visual", "vision_config"},           {"audio_tower", "audio_config"},
                                     {"audio_model", "audio_config"},       {"text_model", "text_config"},
                                     {"language_model", "text_config"},     {"language_model", "llm_config"},
                                     {"language_model", "language_config"}, {"llm", "llm_config"}};

struct Stack {
  std::string_view component;
  const char* keys[2];
};

constexpr Stack encoder{"encoder", {"encoder_attention_heads", "num_encoder_attention_heads"}};
constexpr Stack decoder{"decoder", {"decoder_attention_heads", "num_decoder_attention_heads"}};

using Heads = std::optional<std::int64_t>;

Heads heads_of_stack(const ConfigJson& config, const std::string& object, const Stack& stack) {
  for (const char* key : stack.keys) {
    if (const Heads heads = config.positive_integer(object, key)) return heads;
  }
  return std::nullopt;
}

// A layer that does not say whether it encodes or decodes can only be one where both have as many heads.
Heads heads_of_either(const ConfigJson& config, const std::string& object) {
  const Heads encoding = heads_of_stack(config, object, encoder), decoding = heads_of_stack(config, object, decoder);
  if (encoding && decoding && *encoding != *decoding) return std::nullopt;
  return encoding ? encoding : decoding;
}

}  // namespace

std::string object_of_layer(const ConfigJson& config, std::string_view prefix) {
  for (const ModelPart& part : model_parts) {
    if (has_component(prefix, part.component) && config.has_object(part.object)) return part.object;
  }
  return "";
}

Heads heads_of_layer(const ConfigJson& config, std::string_view prefix) {
  const std::string object = object_of_layer(config, prefix);
  for (const Stack& stack : {decoder, encoder}) {
    if (!has_component(prefix, stack.component)) continue;
    if (const Heads heads = heads_of_stack(config, object, stack)) return heads;
  }
  // Other parts have heads of their own, so the outer number says nothing of a part without one.
  const Heads heads = config.num_heads(object);
  return heads ? heads : heads_of_either(config, object);
}

}  // namespace headwise
