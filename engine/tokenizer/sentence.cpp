#include "headwise/sentence.hpp"

#include <filesystem>

#include "out_of_memory.hpp"
#include "sentence_files.hpp"
#include "sentence_modules.hpp"
#include "text.hpp"

namespace headwise {
namespace {

constexpr std::uint64_t longest_model = 1 << 24;  // above it stands for "no limit"

// A limit of tokens in one of the folder's files; nothing when it is not there, or says that there is none.
std::optional<std::int64_t> limit_in(const std::string& folder, const char* name, const char* key) {
  const auto file = SentenceFile::open(folder, name, {key});
  if (!file) return std::nullopt;
  const JsonObject object = file->object();
  const nlohmann::json* value = object.find(key);
  if (value == nullptr || value->is_number_float()) return std::nullopt;
  const std::uint64_t count = *object.count(key);
  if (count == 0) object.refuse(std::string("has a ") + key + " of 0");
  return count > longest_model ? std::nullopt : std::optional(static_cast<std::int64_t>(count));
}

void read_max_length(const std::string& folder, SentenceSettings& to) {
  const auto take = [&](std::optional<std::int64_t> limit, const char* source) {
    if (!limit || (!to.max_length_source.empty() && *limit >= to.max_length)) return;
    to.max_length = *limit;
    to.max_length_source = source;
  };
  take(limit_in(folder, "sentence_bert_config.json", "max_seq_length"), "sentence_bert_config.json");
  if (!to.max_length_source.empty()) return;
  take(limit_in(folder, "config.json", "max_position_embeddings"), "config.json");
  take(limit_in(folder, "tokenizer_config.json", "model_max_length"), "tokenizer_config.json");
}

// sentence-transformers lowers texts before its tokenizer where this is set; no known model needs it.
void check_lower_case(const std::string& folder) {
  const auto file = SentenceFile::open(folder, "sentence_bert_config.json", {"do_lower_case"});
  if (!file || !file->object().flag("do_lower_case", false)) return;
  file->object().refuse("sets do_lower_case, which headwise leaves to the tokenizer", ErrorCode::unsupported);
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
  check_lower_case(folder);
  read_max_length(folder, result);
  read_prompt(folder, result);
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(folder) + ": no memory to read its settings"; });
}

}  // namespace headwise
