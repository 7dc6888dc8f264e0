// A layer that is large enough for several threads, and its right result.
#pragma once

#include <cstring>

#include "headwise/attention.hpp"
#include "random.hpp"

struct LargeLayer {
  headwise::MultiHeadAttention model;
  headwise::Tensor x, expected;

  explicit LargeLayer(const headwise::Dims& shape = {3, 150, 96}, std::uint64_t seed = 1)
      : model(headwise::random_weights(config(shape), seed)), x(shape), expected(shape) {
    Random random(seed);
    random.fill(x.data(), x.size(), -1, 1);
    headwise::Session session(model, {.threads = 1});
    session.run(inputs(), {.output = expected});
  }
  static headwise::AttentionConfig config(const headwise::Dims& shape) {
    headwise::AttentionConfig result;
    result.model_dim = shape[shape.rank() - 1];
    result.num_heads = 6;
    return result;
  }
  headwise::AttentionInputs inputs() const { return {.query = x, .key = x, .value = x}; }
  bool is_right(const headwise::Tensor& y) const {
    return std::memcmp(y.data(), expected.data(), sizeof(float) * static_cast<std::size_t>(y.size())) == 0;
  }
  // Runs it and compares bits.
  bool run_right(headwise::Session& session) const {
    headwise::Tensor y(x.shape());
    session.run(inputs(), {.output = y});
    return is_right(y);
  }
  bool run_right(const headwise::SessionOptions& options) const {
    headwise::Session session(model, options);
    return run_right(session);
  }
};
