// Looking for layouts in the names of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headwise/weights.hpp"
#include "layouts.hpp"

namespace headwise {

// A layer with the layouts whose names explain it; several when families use the same names. family and widths are
// filled when one is chosen.
struct LaidOutLayer : AttentionLayer {
  std::vector<LayoutPointer> layouts;

  const Layout& layout() const { return *layouts.front(); }
};

// What stands before a part's name in a tensor's name: "a.b." for "a.b.w_q.weight" and "w_q.weight". nullopt when the
// tensor is not that part; a name must start after a dot or a slash, so "new_w_q.weight" is none.
std::optional<std::string_view> prefix_before(std::string_view tensor, std::string_view part);

// Does a name, which ends in a dot, hold this one between its dots? "model.decoder.layers.0." holds "decoder".
bool has_component(std::string_view prefix, std::string_view name);

// A prefix as users write it, with or without the dot at its end.
bool same_prefix(std::string_view found, std::string_view wanted);

// Every layer of the file, in order.
std::vector<LaidOutLayer> find_layers(const WeightFile& file);

}  // namespace headwise
