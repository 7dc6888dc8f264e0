#include "name_map.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "map_file.hpp"

namespace headwise {
namespace {

constexpr std::string_view placeholder = "{layer}";

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
  MapFile file = read_map_file(path);
  NameMap map;
  map.path_ = path;
  map.num_heads_ = file.num_heads;
  map.layout_ = std::make_shared<const Layout>(std::move(file.layout));
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
