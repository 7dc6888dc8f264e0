#include "headwise/sentence.hpp"

#include <filesystem>

#include "model_folder.hpp"
#include "out_of_memory.hpp"
#include "sentence_files.hpp"
#include "sentence_modules.hpp"
#include "text.hpp"

namespace headwise {
namespace {

// What sentence-transformers says of its first module, under the names that its versions gave the file.
constexpr const char* transformer_names[] = {"sentence_bert_config.json",       "sentence_roberta_config.json",
                                             "sentence_distilbert_config.json", "sentence_camembert_config.json",
                                             "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
                                             "sentence_xlnet_config.json"};

// The first that is not {} counts, as it does there.
std::optional<SentenceFile> open_transformer(const std::string& folder) {
  for (const char* name : transformer_names) {
    auto file = SentenceFile::open(folder, name, {"max_seq_length", "do_lower_case"});
    if (file && !file->is_empty()) return file;
  }
  return std::nullopt;
}

void read_max_length(const std::string& folder, const std::optional<SentenceFile>& transformer, SentenceSettings& to) {
  const auto take = [&to](const std::optional<SentenceFile>& file, const char* key) {
    const auto limit = limit_in(file, key);
    if (!limit || (!to.max_length_source.empty() && *limit >= to.max_length)) return;
    to.max_length = *limit;
    to.max_length_source = file->name();
  };
  take(transformer, "max_seq_length");
  if (!to.max_length_source.empty()) return;
  for (const auto& [name, key] :
       {std::pair{"config.json", "max_position_embeddings"}, std::pair{"tokenizer_config.json", "model_max_length"}}) {
    take(SentenceFile::open(folder, name, {key}), key);
  }
}

// sentence-transformers lowers a text before its tokenizer sees it where this is set. Before BERT's own lower case that
// changes nothing, tried with every code point.
void check_lower_case(const std::string& folder, const SentenceFile& transformer) {
  const JsonObject settings = transformer.object();
  if (!settings.flag("do_lower_case", false) || read_tokenizer_files(folder).normalizer.lowercase) return;
  settings.refuse("sets do_lower_case for a tokenizer that keeps capital letters, which headwise does not do",
                  ErrorCode::unsupported);
}

void read_prompt(const std::string& folder, SentenceSettings& to) {
  const auto file = SentenceFile::open(folder, "config_sentence_transformers.json", {"prompts", "default_prompt_name"});
  if (!file) return;
  const JsonObject config = file->object();
  const auto name = config.text("default_prompt_name");
  if (!name) return;
  const auto prompts = config.object("prompts");
  const auto prompt = prompts ? prompts->text(*name) : std::nullopt;
  if (!prompt) config.refuse("names a default prompt " + in_quotes(*name) + " that it does not have");
  to.prompt = *prompt;
  to.prompt_source = "config_sentence_transformers.json";
}

}  // namespace

SentenceSettings read_sentence_settings(const std::string& folder) try {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw Error(ErrorCode::io, in_quotes(folder) + ": no such folder; a model is a folder with config.json");
  }
  SentenceSettings result;
  read_modules(folder, result);
  const auto transformer = open_transformer(folder);
  if (transformer) check_lower_case(folder, *transformer);
  read_max_length(folder, transformer, result);
  read_prompt(folder, result);
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(folder) + ": no memory to read its settings"; });
}

}  // namespace headwise
