// config.json beside a weight file: the few values that say how a model attends. A hostile file like any other.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "headwise/weights.hpp"

namespace headwise {

// Values are found by the object that holds them ("" is the outer one, then a few inside it) and their key. A key that
// is absent or null is not given. Every look-up throws Error(bad_file) for a value that is there but twice, or of
// another kind.
class ConfigJson {
 public:
  struct Entry {
    nlohmann::json value;  // an array or object stands for all that is in it
    bool repeated = false;
  };
  using Entries = std::map<std::pair<std::string, std::string>, Entry>;

  // nullopt when there is none. Throws Error(io), or Error(bad_file) when it is no JSON object.
  static std::optional<ConfigJson> beside(const std::string& weight_file);

  bool has(std::string_view object, std::string_view key) const { return find(object, key) != nullptr; }
  bool has_object(std::string_view key) const;
  std::optional<std::int64_t> positive_integer(std::string_view object, std::string_view key) const;
  std::optional<std::int64_t> natural_number(std::string_view object, std::string_view key) const;  // 0 or more
  std::optional<double> positive_number(std::string_view object, std::string_view key) const;
  std::optional<float> positive_float(std::string_view object, std::string_view key) const;
  bool flag(std::string_view object, std::string_view key, bool otherwise) const;
  std::optional<std::string> text(std::string_view object, std::string_view key) const;
  // num_attention_heads or what else models call it; there null is an error.
  std::optional<std::int64_t> num_heads(std::string_view object = "") const;

  const Entries& entries() const noexcept { return entries_; }
  [[noreturn]] void refuse(const std::string& problem, ErrorCode code = ErrorCode::bad_file) const;

 private:
  ConfigJson(std::string path, Entries entries) : path_(std::move(path)), entries_(std::move(entries)) {}
  const nlohmann::json* find(std::string_view object, std::string_view key) const;
  std::int64_t integer_in(std::string_view name, const nlohmann::json& value) const;

  std::string path_;
  Entries entries_;
};

}  // namespace headwise
