// Which layout a layer is written in.
#pragma once

#include "headwise/files.hpp"
#include "layouts.hpp"

namespace headwise {

// The layout of a family, or of a model_type that one serves; of several those with the wanted names, then the one of
// fewest tensors that can hold the layer. The layer's config is resolved. Throws Error(invalid_argument) for a family
// that is not known, for names that it does not have, or naming what it has no place for.
LayoutPointer choose_storage(const AttentionWeights& weights, const LayerStorage& storage);

}  // namespace headwise
