// The layouts of attention weights that headwise knows. Roles are the strings of AttentionLayer::Part::role.
#pragma once

#include <string_view>
#include <vector>

namespace headwise {

struct PartName {
  std::string_view role;
  std::string_view name;  // what follows the prefix
};

// A layer has a layout when all its weights are there; biases are checked when it is loaded.
struct Layout {
  std::string_view family;
  std::vector<PartName> weights, biases;
};

// In the order of preference. To add a family, add rows to the tables in layouts.cpp.
const std::vector<Layout>& known_layouts();

// Tensors beside a layer, behind its prefix, that change its result in a way that headwise does not offer. A layer with
// one of them is refused: leaving it out would give other numbers without a word.
const std::vector<std::string_view>& refused_companions();

}  // namespace headwise
