// Layers with a cache, fed token by token.
#pragma once

#include <doctest/doctest.h>

#include <cmath>

#include "calls.hpp"
#include "isas.hpp"

inline headwise::AttentionConfig cache_config() {
  headwise::AttentionConfig config = grouped_config();
  config.value_dim = 5;
  return config;
}

// What positions do must not depend on how tokens came into the cache.
inline headwise::AttentionConfig positioned(headwise::AttentionConfig config) {
  config.rotary.dim = 6;
  config.position_bias.kind = headwise::PositionBias::alibi;
  return config;
}

inline headwise::AttentionInputs tokens(const headwise::Tensor& x, std::int64_t first, std::int64_t count,
                                        headwise::KvCache* cache) {
  const headwise::TensorView part = slice(x.view(), 1, first, count);
  headwise::AttentionInputs inputs = inputs_of(part, part, part);
  inputs.cache = cache;
  inputs.causal = true;
  return inputs;
}

// Output rows [B, count, D_out] of the next tokens.
inline headwise::Tensor step(headwise::Session& session, const headwise::Tensor& x, std::int64_t first,
                             std::int64_t count, headwise::KvCache& cache) {
  headwise::Tensor output = filled({x.shape()[0], count, 24}, unwritten);
  headwise::AttentionOutputs outputs;
  outputs.output = output.mutable_view();
  session.run(tokens(x, first, count, &cache), outputs);
  return output;
}

inline double largest_difference(const headwise::TensorView& a, const headwise::TensorView& b) {
  const headwise::Tensor x = copy_of(a), y = copy_of(b);
  double largest = x.shape() == y.shape() ? 0 : INFINITY;
  for (std::int64_t n = 0; n < x.size() && largest < INFINITY; ++n) {
    const double difference = std::fabs(double(x.data()[n]) - double(y.data()[n]));
    largest = difference <= largest ? largest : difference;
  }
  return largest;
}

inline constexpr double near_enough = 16 * 0x1p-23;  // two f32 evaluations of numbers below 1

template <class Test>
void for_each_cache_model(const Test& test) {
  for (const std::string& isa : running_isas()) {
    for (const headwise::AttentionConfig& config : {cache_config(), positioned(cache_config())}) {
      CAPTURE(isa);
      CAPTURE(config.rotary.dim);
      Random random(70);
      test(headwise::MultiHeadAttention(random_weights(config, 70), {isa, false}), random);
    }
  }
}
