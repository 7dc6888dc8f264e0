// A strict reader of JSON (RFC 8259) that builds a tree and shares nothing with the engine's. Slow and plain on
// purpose: the fuzz targets hold the engine against it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct Json {
  enum class Kind { null, boolean, number, text, array, object };
  Kind kind = Kind::null;
  std::string text;  // of a text without its escapes, of a number as it is spelt
  std::vector<Json> items;
  std::vector<std::string> keys;  // of an object, one for each item

  // The items under this key, in their order.
  std::vector<const Json*> all(std::string_view key) const;
};

// nullopt for what is no JSON: also for ill-formed UTF-8, lone surrogates, numbers beyond the range of a double, and
// arrays and objects nested deeper than 127.
std::optional<Json> parse_json(std::string_view text);

bool is_utf8(std::string_view text);
