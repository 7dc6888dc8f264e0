#include "name_map.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "file_bytes.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_map_bytes = 64u << 10;
constexpr std::string_view placeholder = "{layer}";
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
json read_entries(const std::string& path) {
  const InputFile file(path);
  if (file.size() > max_map_bytes) refuse(path, "larger than the limit of 64 KiB for a name map");
  std::string text(file.size(), '\0');
  file.read_at(0, text.data(), text.size());
  std::set<std::string> keys;
  std::string twice;
  const auto look = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool is_entry = depth == 1 && event == json::parse_event_t::key;
    if (is_entry && !keys.insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
    return true;
  };
  // The parser would take a NUL for the end of the text.
  json entries = text.find('\0') == std::string::npos ? json::parse(text, look, false) : json(json::value_t::discarded);
  if (!entries.is_object()) refuse(path, "not a valid JSON object, which a name map is");
  if (!twice.empty()) refuse(path, "duplicate key " + in_quotes(twice));
  return entries;
}

std::string known_keys() {
  std::vector<std::string> keys;
  for (const std::string_view role : weight_roles) keys.emplace_back(role);
  for (const std::string_view role : bias_roles) keys.emplace_back(role);
  for (const std::string_view role : extra_roles) keys.emplace_back(role);
  for (const std::string_view setting : settings) keys.emplace_back(setting);
  return join(keys);
}

void refuse_unknown(const std::string& path, const json& entries) {
  for (const auto& entry : entries.items()) {
    const std::string& key = entry.key();
    if (contains(weight_roles, key) || contains(bias_roles, key) || contains(extra_roles, key)) continue;
    if (!contains(settings, key)) refuse(path, "unknown entry " + in_quotes(key) + ", known are " + known_keys());
  }
}

std::string text_of(const std::string& path, const json& entries, const std::string& key) {
  const json& value = entries.at(key);
  if (!value.is_string()) refuse(path, key + " is no text in double quotes");
  return value.get<std::string>();
}

template <class Roles>
std::vector<PartName> named_parts(const std::string& path, const json& entries, const Roles& roles) {
  std::vector<PartName> parts;
  for (const std::string_view role : roles) {
    const std::string key(role);
    if (entries.contains(key)) parts.push_back({key, text_of(path, entries, key)});
  }
  return parts;
}

// One of two words; the first when the entry is not there.
bool is_second(const std::string& path, const json& entries, const std::string& key, const char* first,
               const char* second) {
  if (!entries.contains(key)) return false;
  const std::string word = text_of(path, entries, key);
  if (word != first && word != second)
    refuse(path, key + " is " + in_quotes(word) + ", not " + first + " or " + second);
  return word == second;
}

Form form_of(const std::string& path, const json& entries) {
  Form form{"as the map says"};
  form.grouped = true;
  if (is_second(path, entries, "layout", "out_in", "in_out")) form.axes = Axes::in_out;
  if (is_second(path, entries, "rows", "blocks", "groups")) form.order = FusedOrder::groups;
  form.heads_apart = form.axes == Axes::in_out;
  return form;
}

std::int64_t heads_of(const std::string& path, const json& entries) {
  if (!entries.contains("num_heads")) return 0;
  const json& value = entries.at("num_heads");
  const auto heads = value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  if (heads == 0 || heads > INT64_MAX) refuse(path, "num_heads is no positive integer");
  return static_cast<std::int64_t>(heads);
}

// Query, key and value each have a matrix of their own, or share one, or the last two do.
void check_matrices(const std::string& path, const json& entries) {
  const auto has = [&](const char* role) { return entries.contains(role); };
  const int query = has("query_weight"), key = has("key_weight"), value = has("value_weight");
  const int both = has("kv_weight"), all = has("qkv_weight");
  const bool covered = query + all == 1 && key + both + all == 1 && value + both + all == 1;
  if (!covered) {
    refuse(path, "needs query_weight, key_weight and value_weight, or query_weight and kv_weight, or qkv_weight alone");
  }
  if (!has("output_weight")) refuse(path, "names no output_weight");
}

void check_biases(const std::string& path, const json& entries) {
  constexpr std::pair<const char*, const char*> rivals[] = {{"qkv_bias", "query_bias"}, {"qkv_bias", "key_bias"},
                                                            {"qkv_bias", "value_bias"}, {"qkv_bias", "kv_bias"},
                                                            {"kv_bias", "key_bias"},    {"kv_bias", "value_bias"}};
  for (const auto& [first, second] : rivals) {
    if (!entries.contains(first) || !entries.contains(second)) continue;
    refuse(path, std::string(first) + " and " + second + " both name the same bias");
  }
}

std::string numbered(const std::string& pattern, std::int64_t number) {
  std::string name = pattern;
  const std::string digits = std::to_string(number);
  for (std::size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder, at)) {
    name.replace(at, placeholder.size(), digits);
    at += digits.size();
  }
  return name;
}

// The number that makes this name of the pattern, written without leading zeros.
std::optional<std::int64_t> number_in(const std::string& name, const std::string& pattern) {
  constexpr std::size_t most_digits = 18;
  const std::size_t start = pattern.find(placeholder);
  if (name.compare(0, start, pattern, 0, start) != 0) return std::nullopt;
  const std::size_t end = std::min(name.find_first_not_of("0123456789", start), name.size());
  if (end == start || end - start > most_digits) return std::nullopt;
  const std::int64_t number = std::stoll(name.substr(start, end - start));
  return numbered(pattern, number) == name ? std::optional(number) : std::nullopt;
}

// What all names begin with, up to a dot or a slash.
std::string common_prefix(const std::vector<PartName>& parts) {
  std::string common = parts.front().name;
  for (const PartName& part : parts) {
    const auto end = std::mismatch(common.begin(), common.end(), part.name.begin(), part.name.end()).first;
    common.erase(end, common.end());
  }
  return common.substr(0, common.find_last_of("./") + 1);  // npos + 1 is 0
}

}  // namespace

NameMap NameMap::read(const std::string& path) {
  const json entries = read_entries(path);
  refuse_unknown(path, entries);
  check_matrices(path, entries);
  check_biases(path, entries);
  Layout layout{"map", "", form_of(path, entries)};
  layout.weights = named_parts(path, entries, weight_roles);
  layout.biases = named_parts(path, entries, bias_roles);
  layout.extras = named_parts(path, entries, extra_roles);
  layout.says_all = true;
  NameMap map;
  map.path_ = path;
  map.num_heads_ = heads_of(path, entries);
  map.layout_ = std::make_shared<const Layout>(std::move(layout));
  return map;
}

std::vector<PartName> NameMap::parts(std::int64_t number) const {
  std::vector<PartName> parts;
  for (const auto* list : {&layout_->weights, &layout_->biases, &layout_->extras}) {
    for (const PartName& part : *list) parts.push_back({part.role, numbered(part.name, number)});
  }
  return parts;
}

std::vector<std::string> NameMap::missing(const WeightFile& file, std::int64_t number) const {
  std::vector<std::string> names;
  for (const PartName& part : parts(number)) {
    if (file.find(part.name) == nullptr) names.push_back(part.name);
  }
  return names;
}

LaidOutLayer NameMap::layer(const WeightFile& file, std::int64_t number) const {
  LaidOutLayer layer;
  layer.index = number;
  layer.prefix = common_prefix(parts(number));
  for (const PartName& part : parts(number)) layer.parts.push_back({part.role, part.name, file.find(part.name)->shape});
  layer.layouts = {layout_};
  return layer;
}

std::vector<LaidOutLayer> NameMap::layers(const WeightFile& file) const {
  const auto has_number = [](const PartName& part) { return part.name.find(placeholder) != std::string::npos; };
  const auto pattern = std::find_if(layout_->weights.begin(), layout_->weights.end(), has_number);
  std::set<std::int64_t> numbers;
  if (pattern == layout_->weights.end()) numbers.insert(0);
  for (const TensorInfo& tensor : file.tensors()) {
    if (pattern == layout_->weights.end()) break;
    if (const auto number = number_in(tensor.name, pattern->name)) numbers.insert(*number);
  }
  std::vector<LaidOutLayer> layers;
  for (const std::int64_t number : numbers) {
    if (missing(file, number).empty()) layers.push_back(layer(file, number));
  }
  return layers;
}

}  // namespace headwise
