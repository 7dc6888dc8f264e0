// The layouts of attention weights that headwise knows. Roles are the strings of AttentionLayer::Part::role.
#pragma once

#include <string_view>
#include <vector>

namespace headwise {

struct PartName {
  std::string_view role;
  std::string_view name;  // what follows the prefix
};

// A layer has a layout when all its weights are there; biases and extras are checked when it is loaded.
struct Layout {
  std::string_view family;
  std::vector<PartName> weights, biases;
  std::vector<PartName> extras{};  // what else a layer may have: norms, sinks, …
  bool grouped = false;            // key and value may have fewer heads than the query
};

// In the order of preference. To add a family, add rows to the tables in layouts.cpp.
const std::vector<Layout>& known_layouts();

// Tensors beside a layer, behind its prefix, that change its result. A layer with one that its layout does not count
// among its parts is refused: leaving it out would give other numbers without a word.
const std::vector<std::string_view>& refused_companions();
// The one that only says what a rotary embedding turns by; it is nothing new to who knows the embedding.
inline constexpr std::string_view rotary_companion = "rotary_emb.inv_freq";

}  // namespace headwise
