#include "layout_search.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

namespace headwise {
namespace {

using Numbers = std::vector<std::pair<std::size_t, std::string_view>>;

// The numbers in a name as (digits, text) pairs, which compare like the numbers whatever their size.
Numbers numbers_in(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  Numbers numbers;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_digit(name[i])) continue;
    while (name[i] == '0' && i + 1 < name.size() && is_digit(name[i + 1])) ++i;
    const std::size_t start = i;
    while (i < name.size() && is_digit(name[i])) ++i;
    numbers.emplace_back(i - start, name.substr(start, i - start));
  }
  return numbers;
}

bool comes_before(const AttentionLayer& a, const AttentionLayer& b) {
  return std::tuple(numbers_in(a.prefix), std::string_view(a.prefix), std::string_view(a.family)) <
         std::tuple(numbers_in(b.prefix), std::string_view(b.prefix), std::string_view(b.family));
}

// T5 keeps the table of all layers of a stack in its block 0: "encoder.block.0.layer.0." for
// "encoder.block.3.layer.0.".
std::string first_block(std::string_view prefix) {
  constexpr std::string_view block = "block.";
  const std::size_t found = prefix.rfind(block);
  const bool starts_a_name = found == 0 || (found != std::string_view::npos && prefix[found - 1] == '.');
  return starts_a_name ? std::string(prefix.substr(0, found)) + "block.0.layer.0." : std::string(prefix);
}

// A table of its own (UMT5) comes before the shared one.
const TensorInfo* find_extra(const WeightFile& file, const std::string& prefix, const PartName& part) {
  const std::string name(part.name);
  const TensorInfo* own = file.find(prefix + name);
  return own != nullptr || part.role != "relative_bias" ? own : file.find(first_block(prefix) + name);
}

void add_extra(AttentionLayer& layer, const PartName& part, const WeightFile& file) {
  const TensorInfo* info = find_extra(file, layer.prefix, part);
  if (info != nullptr) layer.parts.push_back({std::string(part.role), info->name, info->shape});
}

void add_part(AttentionLayer& layer, const PartName& part, const WeightFile& file) {
  const TensorInfo* info = file.find(layer.prefix + std::string(part.name));
  if (info != nullptr) layer.parts.push_back({std::string(part.role), info->name, info->shape});
}

// The layer of this layout under this prefix; nullopt when one of its weights is missing.
std::optional<AttentionLayer> layer_at(const WeightFile& file, const Layout& layout, std::string_view prefix) {
  AttentionLayer layer;
  layer.family = layout.family;
  layer.prefix = prefix;
  for (const PartName& weight : layout.weights) add_part(layer, weight, file);
  if (layer.parts.size() != layout.weights.size()) return std::nullopt;
  for (const PartName& bias : layout.biases) add_part(layer, bias, file);
  for (const PartName& extra : layout.extras) add_extra(layer, extra, file);
  return layer;
}

}  // namespace

std::optional<std::string_view> prefix_before(std::string_view tensor, std::string_view part) {
  if (tensor.size() < part.size() || tensor.substr(tensor.size() - part.size()) != part) return std::nullopt;
  const std::string_view prefix = tensor.substr(0, tensor.size() - part.size());
  if (!prefix.empty() && prefix.back() != '.') return std::nullopt;
  return prefix;
}

bool same_prefix(std::string_view found, std::string_view wanted) {
  if (found == wanted) return true;
  return !found.empty() && found.substr(0, found.size() - 1) == wanted;
}

std::vector<AttentionLayer> find_attention_layers(const WeightFile& file) {
  std::vector<AttentionLayer> layers;
  std::set<std::pair<std::string, std::string>> known;  // one layer for each family and prefix
  for (const Layout& layout : known_layouts()) {
    for (const TensorInfo& tensor : file.tensors()) {
      const auto prefix = prefix_before(tensor.name, layout.weights.front().name);
      auto layer = prefix ? layer_at(file, layout, *prefix) : std::nullopt;
      if (layer && known.emplace(layer->family, layer->prefix).second) layers.push_back(std::move(*layer));
    }
  }
  std::sort(layers.begin(), layers.end(), comes_before);
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].index = static_cast<std::int64_t>(i);
  return layers;
}

}  // namespace headwise
