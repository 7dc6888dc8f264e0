// Bit-for-bit comparison of layers.
#pragma once

#include <doctest/doctest.h>

#include <cstring>

#include "headwise/weights.hpp"

inline bool same(const headwise::Tensor& a, const headwise::Tensor& b) {
  if (a.given() != b.given() || !(a.shape() == b.shape())) return false;
  return !a.given() || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

inline void check_same(const headwise::AttentionWeights& a, const headwise::AttentionWeights& b) {
  CHECK(same(a.query_weight, b.query_weight));
  CHECK(same(a.key_weight, b.key_weight));
  CHECK(same(a.value_weight, b.value_weight));
  CHECK(same(a.output_weight, b.output_weight));
  CHECK(same(a.query_bias, b.query_bias));
  CHECK(same(a.key_bias, b.key_bias));
  CHECK(same(a.value_bias, b.value_bias));
  CHECK(same(a.output_bias, b.output_bias));
  CHECK(same(a.query_norm, b.query_norm));
  CHECK(same(a.key_norm, b.key_norm));
  CHECK(same(a.sinks, b.sinks));
  CHECK(same(a.bias_key, b.bias_key));
  CHECK(same(a.bias_value, b.bias_value));
  CHECK(same(a.relative_bias, b.relative_bias));
  CHECK(same(a.alibi_slopes, b.alibi_slopes));
}
