// Values of a JSON object from a stranger, each checked, with messages that name the file and the place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "headwise/error.hpp"
#include "json_tree.hpp"

namespace headwise {

class JsonObject {
 public:
  // `where` is what messages call the object ("model"); "" for the whole file. Throws Error(bad_file) when the value is
  // no object.
  JsonObject(const std::string& path, std::string where, const JsonNode& node);

  // The value of a key, of an array or object only its kind; null when it is absent or JSON's null.
  const nlohmann::json* find(const std::string& key) const;
  const JsonNode* item(const std::string& key) const;  // the whole of it
  bool flag(const std::string& key, bool otherwise) const;
  std::optional<bool> flag(const std::string& key) const;
  std::optional<std::string> text(const std::string& key) const;
  std::optional<std::uint64_t> count(const std::string& key) const;  // a whole number, 0 or above
  std::optional<JsonObject> object(const std::string& key) const;
  // The elements of an array; none when the key is absent.
  const std::vector<JsonNode>& array(const std::string& key) const;
  // "type" of a part of tokenizer.json; "" when it has none.
  std::string type() const { return text("type").value_or(""); }

  const JsonNode& node() const noexcept { return *node_; }
  const std::string& path() const noexcept { return *path_; }
  [[noreturn]] void refuse(const std::string& problem, ErrorCode code = ErrorCode::bad_file) const;

 private:
  const std::string* path_;
  std::string where_;
  const JsonNode* node_;
};

}  // namespace headwise
