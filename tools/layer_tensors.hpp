// The tensors of a layer, for code that does the same to each.
#pragma once

#include <headwise/headwise.hpp>
#include <vector>

namespace headwise::tools {

struct LayerTensor {
  const char* name;
  Tensor AttentionWeights::*tensor;
  bool in_file = true;  // else it stands in the metadata
};

const std::vector<LayerTensor>& layer_tensors();

}  // namespace headwise::tools
