#include "model_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "config_tokens.hpp"
#include "merged_tokens.hpp"
#include "special_tokens.hpp"
#include "text.hpp"
#include "tokenizer_json.hpp"
#include "vocabulary_text.hpp"

namespace headwise {
namespace {

namespace fs = std::filesystem;

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

// Of a folder without tokenizer.json.
void set_templates(const ConfigFiles& files, TokenSettings& to) {
  to.unknown = special_content(files, "unk_token").value_or("[UNK]");
  const std::string cls = special_content(files, "cls_token").value_or("[CLS]");
  const std::string sep = special_content(files, "sep_token").value_or("[SEP]");
  naming_file(to.file, [&] {
    const std::int64_t cls_id = id_of(to, cls), sep_id = id_of(to, sep);
    to.templates = bert_templates(cls_id, sep_id);
  });
}

bool is_put_in(const Template& parts, std::int64_t id) {
  return num_special(parts) == 0 ||
         std::any_of(parts.begin(), parts.end(), [=](const TemplatePart& part) { return part.id == id; });
}

[[noreturn]] void refuse_special(const ConfigFiles& files, const std::string& key, const TokenSettings& settings) {
  const SentenceFile& file =
      files.special_map && files.special_map->object().find(key) ? *files.special_map : *files.config;
  throw Error(ErrorCode::unsupported, in_quotes(file.path()) + ": names a " + key + " " +
                                          in_quotes(*special_content(files, key)) + ", but " +
                                          in_quotes(settings.file) + " has another; give the files of one model");
}

// Versions of transformers differ in which file they believe.
void check_specials(const ConfigFiles& files, const TokenSettings& settings) {
  for (const char* key : {"cls_token", "sep_token"}) {
    const auto content = special_content(files, key);
    if (!content || (!content->empty() && is_put_in(settings.templates.single, id_of(settings, *content)))) continue;
    refuse_special(files, key, settings);
  }
  const auto unknown = special_content(files, "unk_token");
  if (unknown && *unknown != settings.unknown) refuse_special(files, "unk_token", settings);
}

}  // namespace

TokenSettings read_tokenizer_files(const std::string& path) {
  const fs::path file = file_of(path);
  ConfigFiles files = open_config_files(file.parent_path().string());
  const bool is_json = file.extension() == ".json";
  TokenSettings result = is_json ? read_tokenizer_json(file.string()) : read_vocabulary_text(file.string(), files.kind);
  files.kind.has_tokens |= !is_json;
  if (files.kind.cleans || !is_json) read_cleaning(files, result.normalizer);
  add_config_tokens(files, result);
  if (!is_json) {
    set_templates(files, result);
  } else if (files.kind.has_tokens) {
    check_specials(files, result);
  }
  result.max_length = limit_in(files.config, "model_max_length").value_or(result.max_length);
  return result;
}

}  // namespace headwise
