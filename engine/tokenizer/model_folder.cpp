#include "model_folder.hpp"

#include <filesystem>
#include <optional>

#include "json_tree.hpp"
#include "json_values.hpp"
#include "text.hpp"
#include "tokenizer_json.hpp"
#include "vocabulary_text.hpp"

namespace headwise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_config_bytes = 16u << 20;
constexpr std::int64_t longest_model = 1 << 24;  // above it stands for "no limit"
const std::vector<std::string> wanted{"model_max_length",
                                      "tokenizer_class",
                                      "do_lower_case",
                                      "strip_accents",
                                      "tokenize_chinese_chars",
                                      "added_tokens_decoder",
                                      "unk_token",
                                      "sep_token",
                                      "pad_token",
                                      "cls_token",
                                      "mask_token"};

// A link to nowhere is there too: what it was meant to be must not be passed over.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  const struct {
    const char *file, *kind;
  } others[] = {{"merges.txt", "a byte-pair tokenizer"},
                {"sentencepiece.bpe.model", "a SentencePiece tokenizer"},
                {"spiece.model", "a SentencePiece tokenizer"},
                {"tokenizer.model", "a SentencePiece tokenizer"}};
  const std::string start = in_quotes(folder.string()) + ": no tokenizer.json and no vocab.txt";
  for (const auto& other : others) {
    if (!is_there(folder / other.file)) continue;
    throw Error(ErrorCode::unsupported,
                start + "; " + other.file + " is that of " + other.kind + ", and headwise has BERT's WordPiece only");
  }
  throw Error(ErrorCode::io, start + "; give the folder of a BERT-like model, or one of these files");
}

fs::path file_of(const fs::path& path) {
  if (!is_folder(path)) return path;
  for (const char* name : {"tokenizer.json", "vocab.txt"}) {
    if (is_there(path / name)) return path / name;
  }
  refuse_folder(path);
}

std::int64_t max_length_of(const JsonObject& config, std::int64_t otherwise) {
  const nlohmann::json* value = config.find("model_max_length");
  if (value == nullptr || value->is_number_float()) return otherwise;  // 1e30, for none
  const auto given = config.count("model_max_length");
  if (*given == 0) config.refuse("has a model_max_length of 0");
  return *given > static_cast<std::uint64_t>(longest_model) ? otherwise : static_cast<std::int64_t>(*given);
}

}  // namespace

TokenSettings read_tokenizer_files(const std::string& path) {
  const fs::path file = file_of(path);
  const std::string config_path = (file.parent_path() / "tokenizer_config.json").string();
  std::optional<JsonTree> tree;
  std::optional<JsonObject> config;
  if (is_there(config_path)) {
    tree = read_json_tree(config_path, max_config_bytes, wanted);
    config.emplace(config_path, "", tree->root);
  }
  TokenSettings result = file.extension() == ".json" ? read_tokenizer_json(file.string())
                                                     : read_vocabulary_text(file.string(), config ? &*config : nullptr);
  if (config) result.max_length = max_length_of(*config, result.max_length);
  return result;
}

}  // namespace headwise
