// One recognised layer: are its parts complete, do their shapes fit together, and how large is it.
#pragma once

#include <string_view>

#include "headwise/weights.hpp"

namespace headwise {

// Rows are the outputs of a projection, inputs its columns.
struct LayerSizes {
  std::uint64_t query_rows = 0, key_rows = 0, value_rows = 0, output_rows = 0;
  std::uint64_t query_inputs = 0, key_inputs = 0, value_inputs = 0;
};

// nullptr when the layer has no such part.
const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) noexcept;

// Throws Error(unsupported) when a tensor beside the layer changes its result, Error(bad_file) when only some biases
// are there and that is not allowed.
void check_completeness(const SafetensorsFile& file, const AttentionLayer& layer, bool allow_missing_bias);

// Throws Error(bad_file) with the expected and the actual shape.
LayerSizes check_shapes(const SafetensorsFile& file, const AttentionLayer& layer);

}  // namespace headwise
