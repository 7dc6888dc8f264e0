#include "json_values.hpp"

#include "text.hpp"

namespace headwise {

using nlohmann::json;

JsonObject::JsonObject(const std::string& path, std::string where, const JsonNode& node)
    : path_(&path), where_(std::move(where)), node_(&node) {
  if (!node.value.is_object()) refuse("is no JSON object");
}

void JsonObject::refuse(const std::string& problem, ErrorCode code) const {
  throw Error(code, in_quotes(*path_) + ": " + (where_.empty() ? "" : where_ + " ") + problem);
}

const JsonNode* JsonObject::item(const std::string& key) const {
  const auto found = node_->keys.find(key);
  if (found == node_->keys.end()) return nullptr;
  const JsonNode& item = node_->items[found->second];
  return item.value.is_null() ? nullptr : &item;
}

const json* JsonObject::find(const std::string& key) const {
  const JsonNode* found = item(key);
  return found == nullptr ? nullptr : &found->value;
}

std::optional<bool> JsonObject::flag(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse("has a " + key + " that is neither true nor false");
  return value->get<bool>();
}

bool JsonObject::flag(const std::string& key, bool otherwise) const {
  return flag(key).value_or(otherwise);
}

std::optional<std::string> JsonObject::text(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse("has a " + key + " that is no text");
  return value->get<std::string>();
}

std::optional<std::uint64_t> JsonObject::count(const std::string& key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_unsigned()) refuse("has a " + key + " that is no whole number above or equal to zero");
  return value->get<std::uint64_t>();
}

std::optional<JsonObject> JsonObject::object(const std::string& key) const {
  const JsonNode* node = item(key);
  if (node == nullptr) return std::nullopt;
  return JsonObject(*path_, where_.empty() ? key : where_ + "'s " + key, *node);
}

const std::vector<JsonNode>& JsonObject::array(const std::string& key) const {
  static const std::vector<JsonNode> none;
  const JsonNode* node = item(key);
  if (node == nullptr) return none;
  if (!node->value.is_array()) refuse("has a " + key + " that is no array");
  return node->items;
}

}  // namespace headwise
