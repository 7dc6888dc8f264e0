// A JSON file of a sentence-transformers folder, which may be missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json_tree.hpp"
#include "json_values.hpp"

namespace headwise {

class SentenceFile {
 public:
  // nullopt when the folder has no such file. wanted: the keys that are kept of an object.
  static std::optional<SentenceFile> open(const std::string& folder, const std::string& name,
                                          const std::vector<std::string>& wanted);

  const std::string& name() const noexcept { return name_; }
  const std::string& path() const noexcept { return path_; }
  const JsonNode& root() const noexcept { return tree_.root; }
  // Both throw Error(bad_file) when the file holds no object. Lives as long as this.
  JsonObject object() const { return JsonObject(path_, "", tree_.root); }
  bool is_empty() const {
    (void)object();
    return !tree_.has_keys;
  }

 private:
  SentenceFile(std::string name, std::string path, JsonTree tree)
      : name_(std::move(name)), path_(std::move(path)), tree_(std::move(tree)) {}

  std::string name_, path_;
  JsonTree tree_;
};

// A limit of tokens; nullopt when the file is not there, or says that there is none. Throws Error(bad_file).
std::optional<std::int64_t> limit_in(const std::optional<SentenceFile>& file, const char* key);

}  // namespace headwise
