// The table of layouts, as the pages of the families describe them.
#pragma once

#include <vector>

#include "layouts.hpp"

namespace headwise {

struct LayoutRow {
  const char* family;
  const char* models;
  // The matrices in the order query, key, value, output; with three, query, key and value together, output; with two,
  // all three together, output. Each has .weight and maybe .bias, or what stands behind a "|": weight|bias.
  std::vector<const char*> tensors;
  Form form{"[out, in]"};
  const char* extras = "";
  bool input_biases_optional = false;
  const char* refusal = "";
};

// In the order in which the loader prefers them. Rows of one family that fit under the same prefix are the same layer,
// read by the first.
const std::vector<LayoutRow>& layout_rows();

}  // namespace headwise
