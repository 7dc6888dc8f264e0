// Bit-for-bit comparison of layers.
#pragma once

#include <doctest/doctest.h>

#include <cstring>

#include "headwise/layer_tensors.hpp"

inline bool same(const headwise::Tensor& a, const headwise::Tensor& b) {
  if (a.given() != b.given() || !(a.shape() == b.shape())) return false;
  return !a.given() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

inline void check_same(const headwise::AttentionWeights& a, const headwise::AttentionWeights& b) {
  for (const headwise::LayerTensor& part : headwise::layer_tensors) {
    CAPTURE(part.name);
    CHECK(same(a.*part.tensor, b.*part.tensor));
  }
}
