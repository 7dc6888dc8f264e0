// Layers made for a test, written and loaded again.
#pragma once

#include <vector>

#include "headwise/weights.hpp"
#include "safetensors_writer.hpp"
#include "temporary_folder.hpp"

inline headwise::LoadOptions with_heads(std::int64_t heads) {
  headwise::LoadOptions options;
  options.num_heads = heads;
  return options;
}

inline headwise::AttentionWeights load(const std::vector<NamedTensor>& tensors, const headwise::LoadOptions& options) {
  const TemporaryFolder folder;
  return load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
}
