#include "layouts.hpp"

#include <algorithm>
#include <utility>

#include "layout_rows.hpp"
#include "text.hpp"

namespace headwise {
namespace {

std::vector<const char*> roles_for(std::size_t tensors) {
  if (tensors == 2) return {"qkv", "output"};
  if (tensors == 3) return {"query", "kv", "output"};
  return {"query", "key", "value", "output"};
}

void add_tensor(Layout& layout, const std::string& role, const std::string& text) {
  const std::size_t bar = text.find('|');
  const std::string weight = bar == std::string::npos ? text + ".weight" : text.substr(0, bar);
  const std::string bias = bar == std::string::npos ? text + ".bias" : text.substr(bar + 1);
  layout.weights.push_back({role + "_weight", weight});
  if (!bias.empty()) layout.biases.push_back({role + "_bias", bias});
}

void add_extra(Layout& layout, const std::string& role, const std::string& name) {
  if (role != "qkv_bias") return layout.extras.push_back({role, name});
  layout.biases.insert(layout.biases.begin(), {role, name});
}

LayoutPointer expand(const LayoutRow& row) {
  Layout layout{row.family, row.models, row.form};
  layout.input_biases_optional = row.input_biases_optional;
  layout.refusal = row.refusal;
  const std::vector<const char*> roles = roles_for(row.tensors.size());
  for (std::size_t i = 0; i < roles.size(); ++i) add_tensor(layout, roles[i], row.tensors[i]);
  for (const std::string& extra : split(row.extras, ' ')) {
    add_extra(layout, extra.substr(0, extra.find('=')), extra.substr(extra.find('=') + 1));
  }
  return std::make_shared<const Layout>(std::move(layout));
}

}  // namespace

bool Layout::serves(std::string_view model_type) const {
  const std::vector<std::string> words = split(models, ',');
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    return word == model_type;
  });
}

const std::vector<LayoutPointer>& known_layouts() {
  static const std::vector<LayoutPointer> layouts = [] {
    std::vector<LayoutPointer> all;
    for (const LayoutRow& row : layout_rows()) all.push_back(expand(row));
    return all;
  }();
  return layouts;
}

}  // namespace headwise
