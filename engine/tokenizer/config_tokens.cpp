#include "config_tokens.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "special_tokens.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr struct {
  const char *key, *content;  // "": the class has none itself
} special_keys[] = {{"bos_token", ""},      {"eos_token", ""},      {"unk_token", "[UNK]"},  {"sep_token", "[SEP]"},
                    {"pad_token", "[PAD]"}, {"cls_token", "[CLS]"}, {"mask_token", "[MASK]"}};

// A special token is a text, or an object with its content and flags.
AddedToken read_special(const JsonObject& file, const std::string& key, const JsonNode& node) {
  if (node.value.is_object()) return read_added_token(JsonObject(file.path(), key, node), Specials::all);
  if (!node.value.is_string()) file.refuse("has a " + key + " that is neither a text nor an object");
  AddedToken token;
  token.content = node.value.get<std::string>();
  token.id = no_id;
  check_length(token, JsonObject(file.path(), key, file.node()));
  return token;
}

// special_tokens_map.json counts before tokenizer_config.json.
std::optional<AddedToken> named_special(const ConfigFiles& files, const std::string& key) {
  for (const auto* file : {&files.special_map, &files.config}) {
    if (!*file) continue;
    const JsonObject object = (*file)->object();
    if (const JsonNode* node = object.item(key)) return read_special(object, key, *node);
  }
  return std::nullopt;
}

// Those beside [CLS] and its like: a list, or an object in which they have names.
void add_more_specials(const std::optional<SentenceFile>& file, AddedList& to) {
  if (!file) return;
  const JsonObject object = file->object();
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    const JsonNode* list = object.item(key);
    if (list == nullptr) continue;
    if (!list->value.is_array() && !list->value.is_object()) object.refuse("has " + std::string(key) + " of no kind");
    for (const JsonNode& node : list->items) to.push_back(read_special(object, key, node));
  }
}

// {"100": {"content": "[UNK]", …}, …}
AddedList decoder_tokens(const JsonObject& config) {
  const auto decoder = config.object("added_tokens_decoder");
  AddedList tokens;
  for (const auto& [id, item] : decoder->node().keys) {
    AddedToken token = read_added_token(JsonObject(config.path(), "an added token", decoder->node().items[item]));
    const auto end = id.data() + id.size();
    const bool is_number = std::from_chars(id.data(), end, token.id).ptr == end;
    if (!is_number || token.id < 0 || token.id > INT32_MAX) decoder->refuse("has an id that is none");
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// {"<new>": 30522, …}; of those at the id of a token of tokenizer.json, that one counts.
AddedList tokens_of_map(const JsonObject& map, const AddedList& specials, const AddedList& present) {
  std::set<std::string> special;
  std::set<std::int64_t> taken;
  for (const AddedToken& token : specials) special.insert(token.content);
  for (const AddedToken& token : present) taken.insert(token.id);
  AddedList tokens;
  for (const auto& [content, item] : map.node().keys) {
    const auto id = map.count(content).value_or(UINT64_MAX);
    if (id > INT32_MAX) map.refuse("gives " + in_quotes(content) + " no id");
    AddedToken token;
    token.content = content;
    token.id = static_cast<std::int64_t>(id);
    token.normalized = !special.contains(content);
    check_length(token, map);
    if (!content.empty() && !taken.contains(token.id)) tokens.push_back(std::move(token));
  }
  return tokens;
}

// A file may also say, with null, that there is none.
bool is_mentioned(const ConfigFiles& files, const std::string& key) {
  const auto has = [&](const auto& file) { return file && file->root().keys.contains(key); };
  return has(files.special_map) || has(files.config);
}

}  // namespace

std::optional<std::string> special_content(const ConfigFiles& files, const std::string& key) {
  const auto token = named_special(files, key);
  return token ? std::optional(token->content) : std::nullopt;
}

AddedList named_specials(const ConfigFiles& files) {
  AddedList tokens;
  for (const auto& special : special_keys) {
    if (auto token = named_special(files, special.key)) tokens.push_back(std::move(*token));
  }
  add_more_specials(files.config, tokens);
  add_more_specials(files.special_map, tokens);
  return tokens;
}

AddedList listed_tokens(const ConfigFiles& files, const AddedList& specials, const AddedList& present) {
  AddedList tokens;
  if (files.config && files.config->object().find("added_tokens_decoder") != nullptr) {
    tokens = decoder_tokens(files.config->object());
  } else if (files.added) {
    tokens = tokens_of_map(files.added->object(), specials, present);
  }
  std::stable_sort(tokens.begin(), tokens.end(), [](auto& a, auto& b) { return a.id < b.id; });
  return tokens;
}

AddedList tokens_of_class(const ConfigFiles& files) {
  AddedList tokens;
  for (const auto& special : special_keys) {
    if (!files.kind.has_tokens || *special.content == '\0' || is_mentioned(files, special.key)) continue;
    AddedToken token;
    token.content = special.content;
    token.id = no_id;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace headwise
