// JSON objects of plain values and lists of plain values: name maps and what we keep in metadata. Not nlohmann's tree,
// whose destructor allocates: where memory has run out, that would end the process.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

struct FlatValue {
  nlohmann::json value;                 // an object or list has nothing in it here
  std::vector<nlohmann::json> items{};  // of a list; as in `value`, nothing is in an object or list
};

struct FlatObject {
  std::map<std::string, FlatValue> entries;
  std::string repeated;  // a name that was there twice, or ""; the last value counts

  bool has(const std::string& name) const { return entries.count(name) == 1; }
  // Null where the name is missing.
  const FlatValue& find(const std::string& name) const;
};

// nullopt when this is no JSON object.
std::optional<FlatObject> parse_flat_object(std::string_view text);

}  // namespace headwise
