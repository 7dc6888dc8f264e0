#include "tokenizer_json.hpp"

#include "file_bytes.hpp"
#include "json_tree.hpp"
#include "json_values.hpp"
#include "special_tokens.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

const std::vector<std::string> wanted{"added_tokens", "normalizer", "pre_tokenizer", "post_processor", "model"};

[[noreturn]] void refuse_kind(const JsonObject& file, const std::string& part, const std::string& kind,
                              const std::string& known) {
  file.refuse(part + " is " + (kind.empty() ? "of an unnamed kind" : in_quotes(kind)) + "; headwise has " + known,
              ErrorCode::unsupported);
}

// Old files do not name the kind of their model.
std::string kind_of(const JsonObject& model) {
  if (const auto type = model.text("type")) return *type;
  const json* vocab = model.find("vocab");
  if (vocab != nullptr && vocab->is_array()) return "Unigram";
  return model.find("continuing_subword_prefix") != nullptr && model.find("max_input_chars_per_word") != nullptr
             ? "WordPiece"
             : "";
}

void read_model(const JsonObject& file, TokenSettings& to) {
  const auto model = file.object("model");
  if (!model) file.refuse("has no model");
  const std::string kind = kind_of(*model);
  if (kind != "WordPiece") refuse_kind(file, "the tokenizer's model", kind, "BERT's WordPiece only");
  if (model->find("vocab") == nullptr || !model->find("vocab")->is_object()) model->refuse("has no vocab");
  to.unknown = model->text("unk_token").value_or(to.unknown);
  to.prefix = model->text("continuing_subword_prefix").value_or(to.prefix);
  to.max_word = model->count("max_input_chars_per_word").value_or(to.max_word);
  if (to.max_word > max_piece) {
    model->refuse("has a max_input_chars_per_word of " + std::to_string(to.max_word) + "; headwise takes at most " +
                      std::to_string(max_piece),
                  ErrorCode::unsupported);
  }
}

void read_normalizer(const JsonObject& file, NormalizerSettings& to) {
  const auto normalizer = file.object("normalizer");
  if (!normalizer) {
    to = {false, false, false, false};
    return;
  }
  if (normalizer->type() != "BertNormalizer") {
    refuse_kind(file, "the normalizer", normalizer->type(), "BertNormalizer only");
  }
  to.clean_text = normalizer->flag("clean_text", true);
  to.handle_chinese_chars = normalizer->flag("handle_chinese_chars", true);
  to.lowercase = normalizer->flag("lowercase", true);
  to.strip_accents = normalizer->flag("strip_accents", to.lowercase);
}

void check_pre_tokenizer(const JsonObject& file) {
  const auto part = file.object("pre_tokenizer");
  const std::string kind = part ? part->type() : "none";
  if (kind != "BertPreTokenizer") refuse_kind(file, "the pre_tokenizer", kind, "BertPreTokenizer only");
}

AddedToken read_listed_token(const std::string& path, const JsonNode& node) {
  const JsonObject token(path, "an added token", node);
  AddedToken result = read_added_token(token);
  const std::uint64_t id = token.count("id").value_or(UINT64_MAX);
  if (id > INT32_MAX) token.refuse("has no id");
  result.id = static_cast<std::int64_t>(id);
  return result;
}

bool is_id(const JsonNode& node) {
  return node.value.is_number_unsigned() && node.value.get<std::uint64_t>() <= INT32_MAX;
}

// ["[SEP]", 102], as BertProcessing and RobertaProcessing name them.
std::int64_t named_token(const JsonObject& processor, const std::string& key) {
  const std::vector<JsonNode>& pair = processor.array(key);
  if (pair.size() != 2 || !is_id(pair[1])) processor.refuse("has no " + key + " of a token and its id");
  return pair[1].value.get<std::int64_t>();
}

// A token of a template stands for one or more ids.
void add_special(const JsonObject& processor, const JsonObject& part, Template& to) {
  const std::string name = part.text("id").value_or("");
  const auto tokens = processor.object("special_tokens");
  const auto token = tokens ? tokens->object(name) : std::nullopt;
  if (!token) processor.refuse("has no special token " + in_quotes(name));
  for (const JsonNode& id : token->array("ids")) {
    if (!is_id(id)) token->refuse("has an id that is none");
    to.push_back({-1, id.value.get<std::int64_t>(), static_cast<std::int64_t>(part.count("type_id").value_or(0))});
  }
}

void add_sequence(const JsonObject& part, Template& to) {
  const std::string name = part.text("id").value_or("");
  if (name != "A" && name != "B") part.refuse("is none of A and B");
  to.push_back({name == "A" ? 0 : 1, -1, static_cast<std::int64_t>(part.count("type_id").value_or(0))});
}

Template read_template(const JsonObject& processor, const std::string& key) {
  Template result;
  for (const JsonNode& node : processor.array(key)) {
    const JsonObject part(processor.path(), "a part of the template", node);
    if (const auto special = part.object("SpecialToken")) {
      add_special(processor, *special, result);
    } else if (const auto sequence = part.object("Sequence")) {
      add_sequence(*sequence, result);
    } else {
      part.refuse("is neither SpecialToken nor Sequence");
    }
  }
  return result;
}

// Each text stands in its template once.
void check_template(const JsonObject& processor, const Template& parts, int texts) {
  int seen[2] = {0, 0};
  for (const TemplatePart& part : parts) {
    if (part.sequence >= 0) ++seen[part.sequence];
    if (part.type != 0 && part.type != 1) processor.refuse("has a type_id other than 0 and 1", ErrorCode::unsupported);
  }
  if (seen[0] != 1 || seen[1] != texts - 1 || parts.size() > max_template) {
    processor.refuse("has a template that does not hold each text once", ErrorCode::unsupported);
  }
}

void read_post_processor(const JsonObject& file, Templates& to) {
  const auto processor = file.object("post_processor");
  if (!processor) return;
  const std::string kind = processor->type();
  if (kind == "BertProcessing") {
    to = bert_templates(named_token(*processor, "cls"), named_token(*processor, "sep"));
  } else if (kind == "RobertaProcessing") {
    to = roberta_templates(named_token(*processor, "cls"), named_token(*processor, "sep"));
  } else if (kind == "TemplateProcessing") {
    to = {read_template(*processor, "single"), read_template(*processor, "pair")};
  } else {
    refuse_kind(file, "the post_processor", kind, "TemplateProcessing, BertProcessing and RobertaProcessing");
  }
  check_template(*processor, to.single, 1);
  check_template(*processor, to.pair, 2);
}

}  // namespace

TokenSettings parse_tokenizer_json(const std::string& path, const std::string& text) {
  JsonTree tree = parse_json_tree(path, text, wanted);
  const JsonObject file(path, "", tree.root);
  TokenSettings result;
  result.file = path;
  read_model(file, result);
  read_normalizer(file, result.normalizer);
  check_pre_tokenizer(file);
  read_post_processor(file, result.templates);
  result.vocabulary = std::move(tree.vocabulary);
  for (const JsonNode& token : file.array("added_tokens")) {
    result.added_tokens.push_back(read_listed_token(path, token));
  }
  return result;
}

TokenSettings read_tokenizer_json(const std::string& path) {
  return parse_tokenizer_json(path, read_text(path, max_tokenizer_bytes));
}

}  // namespace headwise
