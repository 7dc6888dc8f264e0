#include "sentence_files.hpp"

#include <filesystem>

namespace headwise {
namespace {

constexpr std::uint64_t max_bytes = 16u << 20;

}  // namespace

std::optional<SentenceFile> SentenceFile::open(const std::string& folder, const std::string& name,
                                               const std::vector<std::string>& wanted) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::error_code ignored;
  // A link to nowhere is there too, and opening it says so.
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return std::nullopt;
  return SentenceFile(name, path.string(), read_json_tree(path.string(), max_bytes, wanted));
}

}  // namespace headwise
