#include "config_json.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "file_bytes.hpp"
#include "json_events.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_config_bytes = 16u << 20;
constexpr int max_depth = 127;
constexpr std::size_t max_entries = 256;
// In the order in which they are believed.
constexpr std::array<std::string_view, 4> head_keys{"num_attention_heads", "n_heads", "n_head", "num_heads"};
constexpr std::string_view other_keys[] = {"model_type",
                                           "encoder_attention_heads",
                                           "decoder_attention_heads",
                                           "num_encoder_attention_heads",
                                           "num_decoder_attention_heads",
                                           "d_kv",
                                           "num_key_value_heads",
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

[[noreturn]] void refuse_file(const std::string& path, const std::string& problem, ErrorCode code) {
  throw Error(code, in_quotes(path) + ": " + problem);
}

// A folder may stand for the model in it.
std::filesystem::path folder_of(const std::filesystem::path& weight_file) {
  std::error_code ignored;
  return std::filesystem::is_directory(weight_file, ignored) ? weight_file : weight_file.parent_path();
}

}  // namespace

std::optional<ConfigJson> ConfigJson::beside(const std::string& weight_file) try {
  const std::string path = (folder_of(weight_file) / "config.json").string();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const std::string text = read_text(path, max_config_bytes);
  ConfigEvents events;
  const bool good = object_problem(text) == nullptr && json::sax_parse(text, &events);
  if (!good || !events.is_object) refuse_file(path, "not a valid JSON object", ErrorCode::bad_file);
  return ConfigJson(path, std::move(events.entries));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(weight_file) + ": no memory for its config.json"; });
}

void ConfigJson::refuse(const std::string& problem, ErrorCode code) const {
  refuse_file(path_, problem, code);
}

const json* ConfigJson::find(std::string_view object, std::string_view key) const {
  const auto found = entries_.find({std::string(object), std::string(key)});
  if (found == entries_.end()) return nullptr;
  if (found->second.repeated) refuse("duplicate key " + in_quotes(key));
  return found->second.value.is_null() ? nullptr : &found->second.value;
}

std::int64_t ConfigJson::integer_in(std::string_view name, const json& value) const {
  const auto number = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (number == 0 || number > INT64_MAX) refuse(std::string(name) + " is no positive integer");
  return static_cast<std::int64_t>(number);
}

bool ConfigJson::has_object(std::string_view key) const {
  const json* value = find("", key);
  if (value != nullptr && !value->is_object()) refuse(std::string(key) + " is no object");
  return value != nullptr;
}

std::optional<std::int64_t> ConfigJson::positive_integer(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  return value == nullptr ? std::nullopt : std::optional(integer_in(key, *value));
}

std::optional<std::int64_t> ConfigJson::natural_number(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  const bool natural = value->is_number_unsigned() && value->get<std::uint64_t>() <= INT64_MAX;
  if (!natural) refuse(std::string(key) + " is no integer of 0 or more");
  return value->get<std::int64_t>();
}

std::optional<double> ConfigJson::positive_number(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0)) refuse(std::string(key) + " is no number above zero");
  return number;
}

std::optional<float> ConfigJson::positive_float(std::string_view object, std::string_view key) const {
  const auto number = positive_number(object, key);
  if (!number) return std::nullopt;
  using Limits = std::numeric_limits<float>;
  if (*number < Limits::min() || *number > Limits::max()) refuse(std::string(key) + " is out of the range of a float");
  return static_cast<float>(*number);
}

bool ConfigJson::flag(std::string_view object, std::string_view key, bool otherwise) const {
  const json* value = find(object, key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(std::string(key) + " is neither true nor false");
  return value->get<bool>();
}

std::optional<std::string> ConfigJson::text(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(std::string(key) + " is no text");
  return value->get<std::string>();
}

std::optional<std::int64_t> ConfigJson::num_heads(std::string_view object) const {
  for (const std::string_view key : head_keys) {
    const auto found = entries_.find({std::string(object), std::string(key)});
    if (found == entries_.end()) continue;
    if (found->second.repeated) refuse("duplicate key " + in_quotes(key));
    return integer_in(key, found->second.value);
  }
  return std::nullopt;
}

std::optional<std::int64_t> heads_from_config(const std::string& weight_file) try {
  const auto config = ConfigJson::beside(weight_file);
  return config ? config->num_heads() : std::nullopt;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to read config.json");
}

}  // namespace headwise
