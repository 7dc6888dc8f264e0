#include "config_json.hpp"

#include <filesystem>
#include <limits>

#include "config_entries.hpp"
#include "file_bytes.hpp"
#include "out_of_memory.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_config_bytes = 16u << 20;

[[noreturn]] void refuse_file(const std::string& path, const std::string& problem, ErrorCode code) {
  throw Error(code, in_quotes(path) + ": " + problem);
}

// A folder may stand for the model in it.
std::filesystem::path folder_of(const std::filesystem::path& weight_file) {
  std::error_code ignored;
  return std::filesystem::is_directory(weight_file, ignored) ? weight_file : weight_file.parent_path();
}

}  // namespace

std::optional<ConfigJson> ConfigJson::beside(const std::string& weight_file) try {
  check_file_name(weight_file);
  const std::string path = (folder_of(weight_file) / "config.json").string();
  if (!is_there(path)) return std::nullopt;
  const std::string text = read_text(path, max_config_bytes);
  std::optional<Entries> entries = config_entries(text);
  if (!entries) refuse_file(path, "not a valid JSON object", ErrorCode::bad_file);
  return ConfigJson(path, std::move(*entries));
} catch (const std::bad_alloc&) {
  throw_out_of_memory([&] { return in_quotes(weight_file) + ": no memory for its config.json"; });
}

void ConfigJson::refuse(const std::string& problem, ErrorCode code) const {
  refuse_file(path_, problem, code);
}

const json* ConfigJson::find(std::string_view object, std::string_view key) const {
  const auto found = entries_.find({std::string(object), std::string(key)});
  if (found == entries_.end()) return nullptr;
  if (found->second.repeated) refuse("duplicate key " + in_quotes(key));
  return found->second.value.is_null() ? nullptr : &found->second.value;
}

std::int64_t ConfigJson::integer_in(std::string_view name, const json& value) const {
  const auto number = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (number == 0 || number > INT64_MAX) refuse(std::string(name) + " is no positive integer");
  return static_cast<std::int64_t>(number);
}

bool ConfigJson::has_object(std::string_view key) const {
  const json* value = find("", key);
  if (value != nullptr && !value->is_object()) refuse(std::string(key) + " is no object");
  return value != nullptr;
}

std::optional<std::int64_t> ConfigJson::positive_integer(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  return value == nullptr ? std::nullopt : std::optional(integer_in(key, *value));
}

std::optional<std::int64_t> ConfigJson::natural_number(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  const bool natural = value->is_number_unsigned() && value->get<std::uint64_t>() <= INT64_MAX;
  if (!natural) refuse(std::string(key) + " is no integer of 0 or more");
  return value->get<std::int64_t>();
}

std::optional<double> ConfigJson::positive_number(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : 0;
  if (!(number > 0)) refuse(std::string(key) + " is no number above zero");
  return number;
}

std::optional<float> ConfigJson::positive_float(std::string_view object, std::string_view key) const {
  const auto number = positive_number(object, key);
  if (!number) return std::nullopt;
  using Limits = std::numeric_limits<float>;
  if (*number < Limits::min() || *number > Limits::max()) refuse(std::string(key) + " is out of the range of a float");
  return static_cast<float>(*number);
}

bool ConfigJson::flag(std::string_view object, std::string_view key, bool otherwise) const {
  const json* value = find(object, key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(std::string(key) + " is neither true nor false");
  return value->get<bool>();
}

std::optional<std::string> ConfigJson::text(std::string_view object, std::string_view key) const {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(std::string(key) + " is no text");
  return value->get<std::string>();
}

std::optional<std::int64_t> ConfigJson::num_heads(std::string_view object) const {
  for (const std::string_view key : head_keys) {
    const auto found = entries_.find({std::string(object), std::string(key)});
    if (found == entries_.end()) continue;
    if (found->second.repeated) refuse("duplicate key " + in_quotes(key));
    return integer_in(key, found->second.value);
  }
  return std::nullopt;
}

std::optional<std::int64_t> heads_from_config(const std::string& weight_file) try {
  const auto config = ConfigJson::beside(weight_file);
  return config ? config->num_heads() : std::nullopt;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to read config.json");
}

}  // namespace headwise
