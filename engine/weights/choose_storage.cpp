#include "choose_storage.hpp"

#include <algorithm>

#include "headwise/weight_layouts.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

bool has_role(const std::vector<PartName>& parts, std::string_view role) {
  return std::any_of(parts.begin(), parts.end(), [&](const PartName& part) { return part.role == role; });
}

// What a fused matrix leaves unsaid must follow from the others.
std::string misfit_of_sizes(const Layout& layout, const AttentionConfig& c) {
  const bool fused = has_role(layout.weights, "qkv_weight"), half_fused = has_role(layout.weights, "kv_weight");
  const bool same_keys = c.key_input_dim == c.value_input_dim;
  if ((fused && (!same_keys || c.key_input_dim != c.model_dim)) || (half_fused && !same_keys)) {
    return "inputs of different widths";
  }
  if ((fused || half_fused) && c.value_dim != c.head_dim) return "values of another size than keys";
  if (!layout.form.grouped && c.num_kv_heads != c.num_heads) return "fewer key/value heads than query heads";
  const bool turns_halves = c.rotary.dim > 0 && c.rotary.layout == RotaryLayout::half_split;
  return layout.form.turns_neighbours && turns_halves ? "a rotary embedding that splits heads in halves" : "";
}

std::string misfit_of_parts(const Layout& layout, const AttentionWeights& w) {
  const std::pair<const char*, const Tensor&> extras[] = {
      {"query_norm", w.query_norm}, {"key_norm", w.key_norm},     {"sinks", w.sinks},
      {"bias_key", w.bias_key},     {"bias_value", w.bias_value}, {"relative_bias", w.relative_bias}};
  for (const auto& [role, tensor] : extras) {
    if (tensor.given() && !has_role(layout.extras, role)) return role;
  }
  return "";
}

// "" when the layer fits.
std::string misfit(const Layout& layout, const AttentionWeights& weights) {
  const std::string sizes = misfit_of_sizes(layout, weights.config);
  return sizes.empty() ? misfit_of_parts(layout, weights) : sizes;
}

std::vector<LayoutPointer> layouts_of(const std::string& family) {
  std::vector<LayoutPointer> layouts;
  for (const LayoutPointer& layout : known_layouts()) {
    if (layout->refusal.empty() && layout->family == family) layouts.push_back(layout);
  }
  for (const LayoutPointer& layout : known_layouts()) {
    if (layouts.empty() && layout->refusal.empty() && layout->serves(family)) layouts.push_back(layout);
  }
  const auto fewer = [](const auto& a, const auto& b) { return a->weights.size() < b->weights.size(); };
  std::stable_sort(layouts.begin(), layouts.end(), fewer);
  return layouts;
}

bool has_names(const Layout& layout, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return std::any_of(layout.weights.begin(), layout.weights.end(),
                       [&](const PartName& weight) { return weight.name == name; });
  });
}

std::string known_families() {
  std::vector<std::string> names;
  for (const FamilyRow& row : list_families()) {
    if (row.refusal.empty() && std::find(names.begin(), names.end(), row.family) == names.end()) {
      names.push_back(row.family);
    }
  }
  return join(names);
}

}  // namespace

LayoutPointer choose_storage(const AttentionWeights& weights, const LayerStorage& storage) {
  const std::string family = "family " + in_quotes(storage.family);
  std::vector<LayoutPointer> layouts = layouts_of(storage.family);
  if (layouts.empty()) refuse("no " + family + " to store a layer in, known are " + known_families());
  std::erase_if(layouts, [&](const LayoutPointer& layout) { return !has_names(*layout, storage.matrices); });
  if (layouts.empty()) refuse(family + " has no matrices called " + join(storage.matrices));
  for (const LayoutPointer& layout : layouts) {
    if (misfit(*layout, weights).empty()) return layout;
  }
  refuse(family + " has no place for " + misfit(*layouts.front(), weights) + ", which this layer has");
}

}  // namespace headwise
