// One recognised layer: do the shapes of its parts fit together, and how large is it.
#pragma once

#include "headwise/weights.hpp"
#include "layout_search.hpp"
#include "stated_sizes.hpp"

namespace headwise {

// Types and ranks. Throws Error(bad_file) or Error(unsupported).
void check_parts(const WeightFile& file, const LaidOutLayer& layer);
// Of parts that were found right. Throws Error(bad_file) with the expected and the actual shape as the file stores
// them, Error(invalid_argument) when the heads do not divide the widths.
LayerSizes check_shapes(const WeightFile& file, const LaidOutLayer& layer, std::int64_t num_heads);

}  // namespace headwise
