#include "map_file.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "file_bytes.hpp"
#include "flat_object.hpp"
#include "headwise/error.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_map_bytes = 64u << 10;
constexpr std::string_view weight_roles[] = {"query_weight", "key_weight", "value_weight",
                                             "kv_weight",    "qkv_weight", "output_weight"};
constexpr std::string_view bias_roles[] = {"query_bias", "key_bias", "value_bias",
                                           "kv_bias",    "qkv_bias", "output_bias"};
constexpr std::string_view extra_roles[] = {"query_norm", "key_norm",   "sinks",
                                            "bias_key",   "bias_value", "relative_bias"};
constexpr std::string_view settings[] = {"layout", "rows", "num_heads"};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

// The entries of the one object, none of them twice.
FlatObject read_entries(const std::string& path) {
  const auto entries = parse_flat_object(read_text(path, max_map_bytes));
  if (!entries) refuse(path, "not a valid JSON object, which a name map is");
  if (!entries->repeated.empty()) refuse(path, "duplicate key " + in_quotes(entries->repeated));
  return *entries;
}

std::string known_keys() {
  std::vector<std::string> keys;
  for (const std::string_view role : weight_roles) keys.emplace_back(role);
  for (const std::string_view role : bias_roles) keys.emplace_back(role);
  for (const std::string_view role : extra_roles) keys.emplace_back(role);
  for (const std::string_view setting : settings) keys.emplace_back(setting);
  return join(keys);
}

void refuse_unknown(const std::string& path, const FlatObject& entries) {
  for (const auto& [key, value] : entries.entries) {
    if (contains(weight_roles, key) || contains(bias_roles, key) || contains(extra_roles, key)) continue;
    if (!contains(settings, key)) refuse(path, "unknown entry " + in_quotes(key) + ", known are " + known_keys());
  }
}

std::string text_of(const std::string& path, const FlatObject& entries, const std::string& key) {
  const json& value = entries.find(key).value;
  if (!value.is_string()) refuse(path, key + " is no text in double quotes");
  return value.get<std::string>();
}

template <class Roles>
std::vector<PartName> named_parts(const std::string& path, const FlatObject& entries, const Roles& roles) {
  std::vector<PartName> parts;
  for (const std::string_view role : roles) {
    const std::string key(role);
    if (entries.has(key)) parts.push_back({key, text_of(path, entries, key)});
  }
  return parts;
}

// One of two words; the first when the entry is not there.
bool is_second(const std::string& path, const FlatObject& entries, const std::string& key, const char* first,
               const char* second) {
  if (!entries.has(key)) return false;
  const std::string word = text_of(path, entries, key);
  if (word != first && word != second)
    refuse(path, key + " is " + in_quotes(word) + ", not " + first + " or " + second);
  return word == second;
}

Form form_of(const std::string& path, const FlatObject& entries) {
  Form form{"as the map says"};
  form.grouped = true;
  if (is_second(path, entries, "layout", "out_in", "in_out")) form.axes = Axes::in_out;
  if (is_second(path, entries, "rows", "blocks", "groups")) form.order = FusedOrder::groups;
  form.heads_apart = form.axes == Axes::in_out;
  return form;
}

std::int64_t heads_of(const std::string& path, const FlatObject& entries) {
  if (!entries.has("num_heads")) return 0;
  const json& value = entries.find("num_heads").value;
  const auto heads = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (heads == 0 || heads > INT64_MAX) refuse(path, "num_heads is no positive integer");
  return static_cast<std::int64_t>(heads);
}

// Query, key and value each have a matrix of their own, or share one, or the last two do.
void check_matrices(const std::string& path, const FlatObject& entries) {
  const auto has = [&](const char* role) { return entries.has(role); };
  const int query = has("query_weight"), key = has("key_weight"), value = has("value_weight");
  const int both = has("kv_weight"), all = has("qkv_weight");
  const bool covered = query + all == 1 && key + both + all == 1 && value + both + all == 1;
  if (!covered) {
    refuse(path, "needs query_weight, key_weight and value_weight, or query_weight and kv_weight, or qkv_weight alone");
  }
  if (!has("output_weight")) refuse(path, "names no output_weight");
}

void check_biases(const std::string& path, const FlatObject& entries) {
  constexpr std::pair<const char*, const char*> rivals[] = {{"qkv_bias", "query_bias"}, {"qkv_bias", "key_bias"},
                                                            {"qkv_bias", "value_bias"}, {"qkv_bias", "kv_bias"},
                                                            {"kv_bias", "key_bias"},    {"kv_bias", "value_bias"}};
  for (const auto& [first, second] : rivals) {
    if (!entries.has(first) || !entries.has(second)) continue;
    refuse(path, std::string(first) + " and " + second + " both name the same bias");
  }
}

}  // namespace

MapFile read_map_file(const std::string& path) {
  const FlatObject entries = read_entries(path);
  refuse_unknown(path, entries);
  check_matrices(path, entries);
  check_biases(path, entries);
  Layout layout{"map", "", form_of(path, entries)};
  layout.weights = named_parts(path, entries, weight_roles);
  layout.biases = named_parts(path, entries, bias_roles);
  layout.extras = named_parts(path, entries, extra_roles);
  layout.says_all = true;
  return {std::move(layout), heads_of(path, entries)};
}

}  // namespace headwise
