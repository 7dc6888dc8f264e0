#include "file_roles.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "console.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::array settings_names{"config.json",
                                    "tokenizer.json",
                                    "vocab.txt",
                                    "tokenizer_config.json",
                                    "special_tokens_map.json",
                                    "added_tokens.json",
                                    "modules.json",
                                    "sentence_bert_config.json",
                                    "sentence_roberta_config.json",
                                    "sentence_distilbert_config.json",
                                    "sentence_camembert_config.json",
                                    "sentence_albert_config.json",
                                    "sentence_xlm-roberta_config.json",
                                    "sentence_xlnet_config.json",
                                    "config_sentence_transformers.json",
                                    "model.safetensors.index.json"};

bool is_index(const std::string& path) {
  return path.ends_with(".index.json");
}

bool is_weights(const fs::path& file) {
  return file.extension() == ".safetensors";
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path folder_of(const std::string& model) {
  if (is_folder(model)) return model;
  const fs::path folder = fs::path(model).parent_path();
  return folder.empty() ? "." : folder;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  return found;
}

NamedPath named(const fs::path& file, const fs::path& folder) {
  return {"the model's " + file.lexically_relative(folder).string(), file.string()};
}

// Weights beside a single file are other models, unless there is an index that may name them.
bool has_shards(const std::string& model, const std::vector<NamedPath>& settings) {
  return is_folder(model) || std::any_of(settings.begin(), settings.end(), [](const NamedPath& file) {
           return is_index(file.second) && fs::exists(file.second);
         });
}

std::vector<NamedPath> with_options(const LayerChoice& options, std::vector<NamedPath> files) {
  files.insert(files.begin(), {{"FILE", options.file}, {"--map", options.load.name_map}});
  return files;
}

// Modules of sentence-transformers have a folder and a config.json each. Names that are not there count, too: whatever
// stood under one of them would be read as the model's.
std::vector<NamedPath> settings_files(const std::string& model) {
  std::vector<NamedPath> files;
  if (model.empty() || is_standard(model)) return files;
  const fs::path folder = folder_of(model);
  for (const char* name : settings_names) files.push_back(named(folder / name, folder));
  for (const fs::path& entry : entries(folder)) {
    if (is_folder(model) && is_folder(entry)) files.push_back(named(entry / "config.json", folder));
    if (is_index(entry.string())) files.push_back(named(entry, folder));
  }
  // Beside an index it would leave open which of both is the model.
  if (has_shards(model, files)) files.push_back(named(folder / "model.safetensors", folder));
  return files;
}

}  // namespace

void check_targets_differ(const std::vector<NamedPath>& targets, std::vector<NamedPath> read) {
  for (const NamedPath& target : targets) {
    for (const auto& [name, path] : read) {
      if (!same_file(target.second, path)) continue;
      throw UsageError(name + " and " + target.first + " name the same file, " + target.second + "; give " +
                       target.first + " another name");
    }
    read.push_back(target);
  }
}

std::vector<NamedPath> model_files(const std::string& model) {
  std::vector<NamedPath> files = settings_files(model);
  if (!has_shards(model, files)) return files;
  const fs::path folder = folder_of(model);
  for (const fs::path& entry : entries(folder)) {
    if (is_weights(entry)) files.push_back(named(entry, folder));
  }
  return files;
}

std::vector<NamedPath> layer_files(const LayerChoice& options) {
  return with_options(options, model_files(options.file));
}

std::vector<NamedPath> layer_settings(const LayerChoice& options) {
  const bool says_shards = is_folder(options.file) || is_index(options.file);
  return with_options(options, says_shards ? settings_files(options.file) : model_files(options.file));
}

std::vector<NamedPath> call_files(const LayerOptions& options) {
  std::vector<NamedPath> files = layer_files(options);
  for (const InputFile& file : input_files()) files.emplace_back(file.option(), options.inputs[file.id]);
  return files;
}

}  // namespace headwise::tools
