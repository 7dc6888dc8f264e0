// The layouts of attention weights that headwise knows. Roles are the strings of AttentionLayer::Part::role.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

struct PartName {
  std::string role;
  std::string name;  // what follows the prefix
};

// Axes of a stored matrix.
enum class Axes {
  out_in,  // torch Linear, y = x·Wᵀ + b
  in_out,  // Conv1D and Dense, y = x·W + b
};

// Rows of a matrix that holds query, key and value (seen as [out, in]).
enum class FusedOrder {
  blocks,  // all of the query, all of the key, all of the value
  groups,  // for each key/value head: its query heads, itself, its value: [Hkv, H/Hkv + 2, d]
};

// How the numbers of a layout lie in its tensors.
struct Form {
  std::string_view words;
  Axes axes = Axes::out_in;
  FusedOrder order = FusedOrder::blocks;
  bool grouped = false;      // key and value may have fewer heads than the query
  bool heads_apart = false;  // heads may be an axis of their own: [in, H, d], [H, d, out], biases [H, d]
  // A rotary embedding turns neighbours (RotaryLayout::interleaved), where the same model's other files split heads in
  // halves.
  bool turns_neighbours = false;
};

// A layer has a layout when all its weights are there; biases and extras are checked when it is loaded.
struct Layout {
  std::string family;
  std::string models;  // comma-separated, words of config.json's model_type among them
  Form form{};
  std::vector<PartName> weights{}, biases{};
  std::vector<PartName> extras{};      // what else a layer may have: norms, sinks, …
  bool input_biases_optional = false;  // query, key and value may do without, though the output has a bias
  bool says_all = false;               // a caller's own map: what it does not name is not there
  std::string refusal{};               // known by name, but not supported, and why

  bool serves(std::string_view model_type) const;
};

using LayoutPointer = std::shared_ptr<const Layout>;

// In the order of preference. To add a family, add a row in layout_rows.cpp.
const std::vector<LayoutPointer>& known_layouts();

}  // namespace headwise
