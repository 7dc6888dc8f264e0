// One attention layer and the ways in which the known families store it.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "headwise/weights.hpp"
#include "safetensors_writer.hpp"

// A small layer whose matrices are all square, where a mistake in the layout shows in the numbers only.
inline headwise::AttentionWeights square_layer() {
  headwise::AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 3;
  return random_weights(config, 7);
}

// Tensors stacked along their first axis.
inline headwise::Tensor stacked(const std::vector<const headwise::Tensor*>& parts) {
  headwise::Dims shape = parts.front()->shape();
  shape[0] = 0;
  for (const headwise::Tensor* part : parts) shape[0] += part->shape()[0];
  headwise::Tensor result(shape);
  float* to = result.data();
  for (const headwise::Tensor* part : parts) to = std::copy_n(part->data(), part->size(), to);
  return result;
}

// Four linear layers under these names; a bias that is not given is left out.
inline std::vector<NamedTensor> four_linears(const headwise::AttentionWeights& w, const std::string& prefix,
                                             const std::vector<std::string>& names) {
  const headwise::Tensor* weights[] = {&w.query_weight, &w.key_weight, &w.value_weight, &w.output_weight};
  const headwise::Tensor* biases[] = {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias};
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < 4; ++i) {
    tensors.push_back({prefix + names[i] + ".weight", *weights[i]});
    if (biases[i]->given()) tensors.push_back({prefix + names[i] + ".bias", *biases[i]});
  }
  return tensors;
}

inline void add_torch_biases(std::vector<NamedTensor>& tensors, const headwise::AttentionWeights& w,
                             const std::string& prefix) {
  if (w.query_bias.given()) {
    tensors.push_back({prefix + "in_proj_bias", stacked({&w.query_bias, &w.key_bias, &w.value_bias})});
  }
  if (w.output_bias.given()) tensors.push_back({prefix + "out_proj.bias", w.output_bias});
}

inline std::vector<NamedTensor> torch_packed(const headwise::AttentionWeights& w, const std::string& prefix) {
  std::vector<NamedTensor> tensors{
      {prefix + "in_proj_weight", stacked({&w.query_weight, &w.key_weight, &w.value_weight})},
      {prefix + "out_proj.weight", w.output_weight}};
  add_torch_biases(tensors, w, prefix);
  return tensors;
}

inline std::vector<NamedTensor> torch_separate(const headwise::AttentionWeights& w, const std::string& prefix) {
  std::vector<NamedTensor> tensors{{prefix + "q_proj_weight", w.query_weight},
                                   {prefix + "k_proj_weight", w.key_weight},
                                   {prefix + "v_proj_weight", w.value_weight},
                                   {prefix + "out_proj.weight", w.output_weight}};
  add_torch_biases(tensors, w, prefix);
  return tensors;
}
