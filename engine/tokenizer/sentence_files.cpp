#include "sentence_files.hpp"

#include <filesystem>

namespace headwise {
namespace {

constexpr std::uint64_t max_bytes = 16u << 20;
constexpr std::uint64_t longest_model = 1 << 24;  // above it stands for "no limit"

}  // namespace

std::optional<SentenceFile> SentenceFile::open(const std::string& folder, const std::string& name,
                                               const std::vector<std::string>& wanted) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::error_code ignored;
  // A link to nowhere is there too, and opening it says so.
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return std::nullopt;
  return SentenceFile(name, path.string(), read_json_tree(path.string(), max_bytes, wanted));
}

std::optional<std::int64_t> limit_in(const std::optional<SentenceFile>& file, const char* key) {
  if (!file) return std::nullopt;
  const JsonObject object = file->object();
  const nlohmann::json* value = object.find(key);
  if (value == nullptr || value->is_number_float()) return std::nullopt;
  const std::uint64_t count = *object.count(key);
  if (count == 0) object.refuse(std::string("has a ") + key + " of 0");
  return count > longest_model ? std::nullopt : std::optional(static_cast<std::int64_t>(count));
}

}  // namespace headwise
