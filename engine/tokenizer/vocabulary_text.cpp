#include "vocabulary_text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "file_bytes.hpp"
#include "special_tokens.hpp"
#include "text.hpp"
#include "unicode.hpp"

namespace headwise {
namespace {

using nlohmann::json;

std::string_view without_spaces_behind(std::string_view line) {
  const std::u32string codes = codes_of(line);
  std::size_t end = line.size();
  for (auto code = codes.rbegin(); code != codes.rend() && is_space(*code); ++code) {
    end -= *code < 0x80 ? 1 : *code < 0x800 ? 2 : 3;
  }
  return line.substr(0, end);
}

// Of equal tokens only the last keeps its name.
void drop_repeated(std::vector<VocabularyEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return entries[a].token < entries[b].token; });
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (entries[order[i]].token == entries[order[i + 1]].token) entries[order[i]].token.clear();
  }
}

bool has_token(const TokenSettings& settings, const std::string& token) {
  return std::any_of(settings.vocabulary.begin(), settings.vocabulary.end(),
                     [&](const VocabularyEntry& entry) { return entry.token == token; });
}

// A special token is a text, or an object with its content.
std::string special_token(const JsonObject* config, const std::string& key, const std::string& otherwise) {
  const json* value = config == nullptr ? nullptr : config->find(key);
  if (value == nullptr) return otherwise;
  return value->is_object() ? config->object(key)->text("content").value_or(otherwise) : *config->text(key);
}

void add_special(TokenSettings& settings, const std::string& content) {
  const auto& added = settings.added_tokens;
  const bool known = std::any_of(added.begin(), added.end(), [&](auto& token) { return token.content == content; });
  if (known || !has_token(settings, content)) return;
  AddedToken token;
  token.content = content;
  token.id = id_of(settings, content);
  settings.added_tokens.push_back(token);
}

// {"100": {"content": "[UNK]", …}, …}
void add_decoder_tokens(const JsonObject& config, TokenSettings& settings) {
  const auto tokens = config.object("added_tokens_decoder");
  if (!tokens) return;
  for (const auto& [id, item] : tokens->node().keys) {
    const JsonObject token(config.path(), "an added token", tokens->node().items[item]);
    AddedToken added = read_added_token(token);
    const auto end = id.data() + id.size();
    if (std::from_chars(id.data(), end, added.id).ptr != end || added.id < 0) tokens->refuse("has an id that is none");
    settings.added_tokens.push_back(added);
  }
}

void check_class(const JsonObject& config) {
  const std::string name = config.text("tokenizer_class").value_or("BertTokenizer");
  for (const char* known : {"Bert", "DistilBert", "Electra", "MobileBert", "ConvBert", "SqueezeBert", "LayoutLM"}) {
    if (name == std::string(known) + "Tokenizer" || name == std::string(known) + "TokenizerFast") return;
  }
  config.refuse("names a tokenizer_class " + in_quotes(name) + "; headwise has BERT's only", ErrorCode::unsupported);
}

void read_config(const JsonObject& config, TokenSettings& to) {
  check_class(config);
  to.normalizer.lowercase = config.flag("do_lower_case", true);
  to.normalizer.strip_accents = config.flag("strip_accents", to.normalizer.lowercase);
  to.normalizer.handle_chinese_chars = config.flag("tokenize_chinese_chars", true);
  add_decoder_tokens(config, to);
}

}  // namespace

std::vector<VocabularyEntry> parse_vocabulary_text(const std::string& path, const std::string& text) {
  if (!is_utf8(text)) throw Error(ErrorCode::bad_file, in_quotes(path) + ": not UTF-8");
  std::vector<VocabularyEntry> entries;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (entries.size() == max_vocabulary) throw Error(ErrorCode::bad_file, in_quotes(path) + ": too many lines");
    entries.push_back({std::string(without_spaces_behind({text.data() + at, end - at})), entries.size()});
    at = end + 1;
  }
  drop_repeated(entries);
  return entries;
}

TokenSettings read_vocabulary_text(const std::string& path, const JsonObject* config) {
  TokenSettings result;
  result.file = path;
  result.vocabulary = parse_vocabulary_text(path, read_text(path, max_tokenizer_bytes));
  if (config != nullptr) read_config(*config, result);
  result.unknown = special_token(config, "unk_token", "[UNK]");
  const std::string cls = special_token(config, "cls_token", "[CLS]"),
                    sep = special_token(config, "sep_token", "[SEP]");
  for (const std::string& token : {result.unknown, sep, special_token(config, "pad_token", "[PAD]"), cls,
                                   special_token(config, "mask_token", "[MASK]")}) {
    add_special(result, token);
  }
  naming_file(path, [&] {
    const std::int64_t cls_id = id_of(result, cls), sep_id = id_of(result, sep);
    result.templates = bert_templates(cls_id, sep_id);
  });
  return result;
}

}  // namespace headwise
