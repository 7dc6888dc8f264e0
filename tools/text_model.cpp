#include "text_model.hpp"

#include <filesystem>

#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr auto needed = "config.json, model.safetensors, and tokenizer.json or vocab.txt";

// The library would look for settings in a file's place, and beside it.
void check_folder(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return;
  const bool there = std::filesystem::exists(folder, ignored);
  const std::string problem =
      there ? " is no folder; give the folder of a model, with " : ": no such folder; a model is one with ";
  throw CommandError("'" + printable(folder) + "'" + problem + needed);
}

Encoder load_encoder(const std::string& folder, EncoderOptions options, const Console& console) {
  ProgressBar bar(console, "loading " + std::filesystem::path(folder).filename().string());
  options.open.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  return Encoder::load(folder, options);
}

void check_vocabulary(const std::string& folder, const TextModel& model) {
  const std::int64_t tokens = model.tokenizer.vocabulary_size(), rows = model.encoder.config().vocabulary_size;
  if (tokens <= rows) return;
  throw CommandError(printable(folder) + ": the tokenizer has " + std::to_string(tokens) + " tokens, the model " +
                     std::to_string(rows) + "; they are not of one model");
}

}  // namespace

TextModel load_text_model(const std::string& folder, EncoderOptions options, const Console& console) {
  check_folder(folder);
  TextModel model{Tokenizer::load(folder), load_encoder(folder, std::move(options), console)};
  check_vocabulary(folder, model);
  return model;
}

void check_token_types(const std::string& folder, const EncoderConfig& config, const Encoding& encoding) {
  const std::int64_t types = config.num_token_types;
  for (const std::int64_t type : encoding.token_types) {
    if (types == 0 || type < types) continue;
    throw CommandError(printable(folder) + ": the tokenizer gives tokens the type " + std::to_string(type) +
                       ", the model has types from 0 to " + std::to_string(types - 1) +
                       "; they are not of one model, or it was not made for pairs of texts");
  }
}

void check_room(const std::string& folder, const FolderLimit& limit, std::int64_t special) {
  if (limit.tokens > special) return;
  throw CommandError("'" + printable((std::filesystem::path(folder) / limit.file).string()) + "': a limit of " +
                     plural(limit.tokens, "token") + " leaves no room for a text beside " +
                     plural(special, "special token") + limit.advice);
}

}  // namespace headwise::tools
