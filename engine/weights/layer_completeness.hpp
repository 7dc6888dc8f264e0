// Is all there that the result of a layer depends on, and nothing that headwise would leave out?
#pragma once

#include <string_view>

#include "layout_search.hpp"

namespace headwise {

struct Completeness {
  bool rotary_known = false;         // the caller or config.json says what turns queries and keys
  bool allow_missing_bias = false;   // any may be missing
  std::string_view without_bias{};   // roles that have none in this model
  bool needs_relative_bias = false;  // T5 self-attention
};

// Throws Error(unsupported) when a tensor beside the layer changes its result, Error(bad_file) when only some biases,
// or only one of two tensors that belong together, are there.
void check_completeness(const WeightFile& file, const LaidOutLayer& layer, const Completeness& rules);

}  // namespace headwise
