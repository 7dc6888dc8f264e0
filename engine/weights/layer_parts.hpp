// One recognised layer: are its parts complete, do their shapes fit together, and how large is it.
#pragma once

#include <string_view>

#include "headwise/weights.hpp"
#include "layouts.hpp"

namespace headwise {

// Rows are the outputs of a projection, inputs its columns.
struct LayerSizes {
  std::uint64_t query_rows = 0, key_rows = 0, value_rows = 0, output_rows = 0;
  std::uint64_t query_inputs = 0, key_inputs = 0, value_inputs = 0;
  std::uint64_t buckets = 0;  // of a relative bias
  std::uint64_t num_heads = 0, num_kv_heads = 0, head_dim = 0, value_dim = 0;
};

// nullptr when the layer has no such part.
const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) noexcept;

// The layout that found this layer.
const Layout& layout_of(const AttentionLayer& layer);

// Throws Error(bad_file) with the expected and the actual shape, Error(invalid_argument) when the heads do not divide
// the widths.
LayerSizes check_shapes(const WeightFile& file, const AttentionLayer& layer, std::int64_t num_heads);

}  // namespace headwise
