#include "layout_search.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "out_of_memory.hpp"
#include "text.hpp"

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

bool comes_before(const LaidOutLayer& a, const LaidOutLayer& b) {
  return std::tuple(numbers_in(a.prefix), std::string_view(a.prefix), std::string_view(a.layout().family)) <
         std::tuple(numbers_in(b.prefix), std::string_view(b.prefix), std::string_view(b.layout().family));
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
  const TensorInfo* own = file.find(prefix + part.name);
  return own != nullptr || part.role != "relative_bias" ? own : file.find(first_block(prefix) + part.name);
}

void add_extra(AttentionLayer& layer, const PartName& part, const WeightFile& file) {
  const TensorInfo* info = find_extra(file, layer.prefix, part);
  if (info != nullptr) layer.parts.push_back({part.role, info->name, info->shape});
}

void add_part(AttentionLayer& layer, const PartName& part, const WeightFile& file) {
  const TensorInfo* info = file.find(layer.prefix + part.name);
  if (info != nullptr) layer.parts.push_back({part.role, info->name, info->shape});
}

// The layer of this layout under this prefix; nullopt when one of its weights is missing.
std::optional<LaidOutLayer> layer_at(const WeightFile& file, const LayoutPointer& layout, std::string_view prefix) {
  LaidOutLayer layer;
  layer.prefix = prefix;
  for (const PartName& weight : layout->weights) add_part(layer, weight, file);
  if (layer.parts.size() != layout->weights.size()) return std::nullopt;
  for (const PartName& bias : layout->biases) add_part(layer, bias, file);
  for (const PartName& extra : layout->extras) add_extra(layer, extra, file);
  layer.layouts = {layout};
  return layer;
}

bool same_names(const Layout& a, const Layout& b) {
  const auto equal = [](const PartName& x, const PartName& y) { return x.role == y.role && x.name == y.name; };
  return std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(), equal);
}

// GPT-2's cross-attention holds the names of its self-attention.
bool is_part_of(const Layout& layout, const Layout& other) {
  if (layout.weights.size() >= other.weights.size()) return false;
  return std::all_of(layout.weights.begin(), layout.weights.end(), [&](const PartName& part) {
    return std::any_of(other.weights.begin(), other.weights.end(),
                       [&](const PartName& whole) { return whole.name == part.name; });
  });
}

// A quantizable module keeps the matrix of its base class beside its own: the rows of one family that store other roles
// mean the same layer, and the first is preferred.
bool is_same_layer(const Layout& layout, const Layout& other) {
  const auto same_role = [](const PartName& a, const PartName& b) { return a.role == b.role; };
  return layout.family == other.family && !std::equal(layout.weights.begin(), layout.weights.end(),
                                                      other.weights.begin(), other.weights.end(), same_role);
}

// Layers by prefix: one prefix has few.
class Layers {
 public:
  void add(LaidOutLayer layer) {
    std::vector<LaidOutLayer>& here = by_prefix_[layer.prefix];
    const LayoutPointer& layout = layer.layouts.front();
    for (LaidOutLayer& other : here) {
      if (is_same_layer(*layout, other.layout()) || is_part_of(*layout, other.layout())) return;
      if (!same_names(other.layout(), *layout)) continue;
      other.layouts.push_back(layout);
      return;
    }
    here.push_back(std::move(layer));
  }

  std::vector<LaidOutLayer> all() {
    std::vector<LaidOutLayer> layers;
    for (auto& [prefix, here] : by_prefix_) std::move(here.begin(), here.end(), std::back_inserter(layers));
    return layers;
  }

 private:
  std::map<std::string, std::vector<LaidOutLayer>> by_prefix_;
};

}  // namespace

std::optional<std::string_view> prefix_before(std::string_view tensor, std::string_view part) {
  if (tensor.size() < part.size() || tensor.substr(tensor.size() - part.size()) != part) return std::nullopt;
  const std::string_view prefix = tensor.substr(0, tensor.size() - part.size());
  if (!prefix.empty() && prefix.back() != '.' && prefix.back() != '/') return std::nullopt;
  return prefix;
}

bool has_component(std::string_view prefix, std::string_view name) {
  const std::string dotted = "." + std::string(prefix), wanted = "." + std::string(name) + ".";
  return dotted.find(wanted) != std::string::npos;
}

bool same_prefix(std::string_view found, std::string_view wanted) {
  if (found == wanted) return true;
  return !found.empty() && found.substr(0, found.size() - 1) == wanted;
}

std::vector<LaidOutLayer> find_layers(const WeightFile& file) {
  Layers layers;
  for (const LayoutPointer& layout : known_layouts()) {
    for (const TensorInfo& tensor : file.tensors()) {
      const auto prefix = prefix_before(tensor.name, layout->weights.front().name);
      auto layer = prefix ? layer_at(file, layout, *prefix) : std::nullopt;
      if (layer) layers.add(std::move(*layer));
    }
  }
  std::vector<LaidOutLayer> found = layers.all();
  std::sort(found.begin(), found.end(), comes_before);
  return found;
}

}  // namespace headwise
