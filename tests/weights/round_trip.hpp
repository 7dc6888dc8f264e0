// A layer stored in a file and loaded again.
#pragma once

#include "headwise/files.hpp"
#include "stored_layer.hpp"
#include "temporary_folder.hpp"

inline std::vector<headwise::NamedView> views_of(const headwise::StoredLayer& stored) {
  std::vector<headwise::NamedView> views;
  for (const auto& [name, tensor] : stored.tensors) views.push_back({name, tensor});
  return views;
}

inline headwise::AttentionWeights round_trip(const headwise::AttentionWeights& weights,
                                             const headwise::LayerStorage& storage,
                                             const headwise::LoadOptions& options = {}) {
  const TemporaryFolder folder;
  const headwise::StoredLayer stored = store_layer(weights, storage);
  save_safetensors(folder.file("t.safetensors"), views_of(stored), stored.metadata);
  return load_attention(folder.file("t.safetensors"), options);
}

inline headwise::AttentionWeights grouped_layer() {
  headwise::AttentionConfig config;
  config.model_dim = 8;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  return random_weights(config, 11);
}
