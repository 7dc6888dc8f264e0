#include "config_entries.hpp"

#include <algorithm>

#include "json_events.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr int max_depth = 127;
constexpr std::size_t max_entries = 256;
constexpr std::string_view other_keys[] = {"model_type",
                                           "encoder_attention_heads",
                                           "decoder_attention_heads",
                                           "num_encoder_attention_heads",
                                           "num_decoder_attention_heads",
                                           "d_kv",
                                           "num_key_value_heads",
                                           "num_kv_heads",
                                           "new_decoder_architecture",
                                           "head_dim",
                                           "attn_logit_softcapping",
                                           "query_pre_attn_scalar",
                                           "attention_multiplier",
                                           "rms_norm_eps",
                                           "max_position_embeddings",
                                           "position_embedding_type",
                                           "rope_theta",
                                           "rope_scaling",
                                           "rope_parameters",
                                           "partial_rotary_factor",
                                           "rotary_dim",
                                           "rotary_pct",
                                           "rotary_emb_base",
                                           "rotary_emb_fraction",
                                           "rotary_emb_interleaved",
                                           "alibi",
                                           "attn_config",
                                           "clip_qkv",
                                           "scale_attn_weights",
                                           "scale_attn_by_inverse_layer_idx",
                                           "relative_attention_num_buckets",
                                           "relative_attention_max_distance",
                                           "text_config",
                                           "llm_config",
                                           "language_config",
                                           "vision_config",
                                           "audio_config",
                                           "hidden_size",
                                           "dim",
                                           "num_hidden_layers",
                                           "n_layers",
                                           "intermediate_size",
                                           "hidden_dim",
                                           "hidden_act",
                                           "activation",
                                           "layer_norm_eps",
                                           "vocab_size",
                                           "type_vocab_size",
                                           "pad_token_id",
                                           "embedding_size",
                                           "is_decoder"};

template <class List>
bool contains(const List& list, std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

bool is_known(std::string_view key) {
  return contains(head_keys, key) || contains(other_keys, key);
}

// Objects whose entries are all kept, and those of a part of the model, of which the known keys are.
constexpr std::string_view whole_objects[] = {"rope_scaling", "rope_parameters", "attn_config"};
constexpr std::string_view part_objects[] = {"text_config", "llm_config", "language_config", "vision_config",
                                             "audio_config"};

bool is_wanted(std::string_view object, std::string_view key) {
  return contains(whole_objects, object) || (contains(part_objects, object) && is_known(key));
}

// Keeps the values of the wanted keys and steps over all else, however deep or long it is.
class ConfigEvents : public JsonEvents {
 public:
  ConfigJson::Entries entries;
  bool is_object = false;

  bool start_object(std::size_t) override {
    if (depth_ == 0) is_object = true;
    if (depth_ == 1 && wanted_ != nullptr) object_ = key_;
    return open(json::object());
  }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool key(string_t& name) override {
    wanted_ = nullptr;
    const bool outer = depth_ == 1 && is_known(name);
    if (!outer && (depth_ != 2 || !is_wanted(object_, name))) return true;
    key_ = name;
    const auto [entry, added] = entries.try_emplace({outer ? std::string() : object_, name});
    entry->second.repeated = !added;
    wanted_ = &entry->second;
    return entries.size() <= max_entries;
  }

 private:
  bool value(json given) override {
    if (wanted_ != nullptr) wanted_->value = std::move(given);
    wanted_ = nullptr;
    return true;
  }
  bool open(json given) { return value(std::move(given)) && ++depth_ <= max_depth; }
  bool close() override {
    if (--depth_ == 1) object_.clear();
    return true;
  }

  ConfigJson::Entry* wanted_ = nullptr;
  std::string key_, object_;
  int depth_ = 0;
};

}  // namespace

std::optional<ConfigJson::Entries> config_entries(const std::string& text) {
  ConfigEvents events;
  const bool good = object_problem(text) == nullptr && json::sax_parse(text, &events);
  if (!good || !events.is_object) return std::nullopt;
  return std::move(events.entries);
}

}  // namespace headwise
