#include "file_roles.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "console.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::array settings_names{"config.json",
                                    "tokenizer.json",
                                    "vocab.txt",
                                    "tokenizer_config.json",
                                    "special_tokens_map.json",
                                    "modules.json",
                                    "sentence_bert_config.json",
                                    "config_sentence_transformers.json"};

bool is_model_file(const std::string& name) {
  if (name.ends_with(".safetensors") || name.ends_with(".index.json")) return true;
  return std::find(settings_names.begin(), settings_names.end(), name) != settings_names.end();
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    found.push_back(entry->path());
  }
  return found;
}

}  // namespace

void check_targets_differ(const std::vector<NamedPath>& targets, std::vector<NamedPath> read) {
  for (const NamedPath& target : targets) {
    for (const auto& [name, path] : read) {
      if (!same_file(target.second, path)) continue;
      throw UsageError(name + " and " + target.first + " name the same file, " + target.second);
    }
    read.push_back(target);
  }
}

// Modules of sentence-transformers have a folder and a config.json each.
std::vector<NamedPath> model_files(const std::string& folder) {
  std::vector<NamedPath> files;
  std::error_code ignored;
  for (const fs::path& entry : entries(folder)) {
    const fs::path file = fs::is_directory(entry, ignored) ? entry / "config.json" : entry;
    if (!is_model_file(file.filename().string())) continue;
    files.emplace_back("the model's " + file.lexically_relative(folder).string(), file.string());
  }
  return files;
}

}  // namespace headwise::tools
