// What Encoder shares between its copies.
#pragma once

#include <vector>

#include "headwise/encoder.hpp"
#include "model.hpp"

namespace headwise {

namespace encoder {

struct Norm {
  Tensor gamma, beta;  // [D]
};

struct Layer {
  MultiHeadAttention attention;
  Norm attention_norm;
  projection::Linear up, down;  // [D → F] with the activation, [F → D]
  Norm output_norm;
};

// The products of a layer as workers count them: those of its attention, then these.
constexpr std::size_t up_product = runtime::product_count;
constexpr std::size_t down_product = up_product + 1;
constexpr std::size_t layer_products = down_product + 1;

}  // namespace encoder

struct Encoder::Model {
  EncoderConfig config;
  const kernels::KernelTable* kernels = nullptr;
  Tensor words, positions, token_types;  // [vocabulary, D], [positions, D], [types, D] or not given
  encoder::Norm embedding_norm;
  std::vector<encoder::Layer> layers;
};

}  // namespace headwise
