// The sizes of a layer as its matrices state them, and the shapes that follow from them.
#pragma once

#include <optional>
#include <string_view>

#include "headwise/weights.hpp"
#include "layouts.hpp"
#include "stored_shapes.hpp"

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

// Sizes as this layout reads them from the layer's matrices; heads are not known yet. What two matrices must agree on
// is taken from the first. nullopt when one of them is no matrix.
std::optional<LayerSizes> stated_sizes(const AttentionLayer& layer, const Form& form);
// The canonical shape of a part in a layer of these sizes.
Shape expected_shape(const LayerSizes& sizes, std::string_view role);
// Could shapes like these be of this layout? Tells families apart whose names are the same; four matrices always could.
bool shapes_suit(const AttentionLayer& layer, const Form& form);

// What AttentionLayer tells of the shapes.
AttentionLayer::Widths widths_of(const AttentionLayer& layer, const Form& form);

}  // namespace headwise
