#include "weight_path.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "file_bytes.hpp"
#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

namespace fs = std::filesystem;

constexpr const char* single_file = "model.safetensors";
constexpr const char* index_file = "model.safetensors.index.json";

bool is_weight_file(const std::string& name) {
  return name.ends_with(".safetensors") || name.ends_with(".npz") || name.ends_with(".index.json");
}

// Weight files before others, then by name.
bool comes_first(const std::string& a, const std::string& b) {
  return is_weight_file(a) != is_weight_file(b) ? is_weight_file(a) : a < b;
}

std::string names_in(const fs::path& folder) {
  constexpr std::size_t most_read = 10'000, most_shown = 10;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == most_read) break;
  }
  if (names.empty()) return "it is empty or cannot be listed";
  std::sort(names.begin(), names.end(), comes_first);
  const std::size_t more = names.size() - std::min(names.size(), most_shown);
  names.resize(names.size() - more);
  for (std::string& name : names) name = in_quotes(name);
  return "it holds " + join(names) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string first_bytes(const std::string& path) {
  const InputFile file(path);
  std::string bytes(std::min<std::uint64_t>(file.size(), 6), '\0');
  file.read_at(0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace

std::string file_of_model(const std::string& path) {
  check_file_name(path);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  const std::string single = fs::path(path) / single_file, index = fs::path(path) / index_file;
  const bool has_single = is_there(single), has_index = is_there(index);
  if (has_single && has_index) {
    throw Error(ErrorCode::io, in_quotes(path) + ": a folder with both " + single_file + " and " + index_file +
                                   ", give the path of the one that is meant");
  }
  if (has_single || has_index) return has_single ? single : index;
  throw Error(ErrorCode::io,
              in_quotes(path) + ": a folder without " + single_file + " or " + index_file + "; " + names_in(path));
}

WeightFormat weight_format(const std::string& path) {
  if (path.ends_with(".safetensors")) return WeightFormat::safetensors;
  if (path.ends_with(".json")) return WeightFormat::shard_index;
  if (path.ends_with(".npz")) return WeightFormat::npz;
  const std::string start = first_bytes(path);
  if (start == "\x93NUMPY") {
    throw Error(ErrorCode::unsupported,
                in_quotes(path) + ": a single .npy array has no tensor names, save the arrays of a layer as .npz");
  }
  const bool is_zip = start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06");
  return is_zip ? WeightFormat::npz : WeightFormat::safetensors;
}

}  // namespace headwise
