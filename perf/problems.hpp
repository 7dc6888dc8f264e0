// What the measurements of whole calls run: a layer, and its attention without projections, on the same sizes.
#pragma once

#include "headwise/headwise.hpp"

struct Sizes {
  std::int64_t batch, length, width, heads;
  std::int64_t head_dim() const { return width / heads; }
  double core_flops() const { return 4.0 * double(batch) * double(length) * double(length) * double(width); }
  double projection_flops() const { return 8.0 * double(batch) * double(length) * double(width) * double(width); }
};

inline headwise::Tensor filled(const headwise::Dims& shape) {
  headwise::Tensor t(shape);
  for (std::int64_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>(i % 251) / 125 - 1;
  return t;
}

inline headwise::MultiHeadAttention random_layer(const Sizes& s) {
  return headwise::MultiHeadAttention(headwise::random_weights({.model_dim = s.width, .num_heads = s.heads}, 1));
}

// Self-attention of one tensor.
struct LayerProblem {
  headwise::Session session;
  headwise::Tensor x, y;
  LayerProblem(const headwise::MultiHeadAttention& layer, const Sizes& s, int threads)
      : session(layer, {.threads = threads}), x(filled({s.batch, s.length, s.width})), y(x.shape()) {}
  void run() { session.run({.query = x, .key = x, .value = x}, {.output = y}); }
};

// The heads of query, key and value lie side by side in one row, padded as the library pads it.
struct CoreProblem {
  headwise::Session session;
  headwise::Tensor x, y;
  headwise::TensorView query, key, value;
  headwise::MutableTensorView output;

  CoreProblem(const Sizes& s, int threads)
      : session(headwise::MultiHeadAttention::without_projections({.model_dim = s.width, .num_heads = s.heads}),
                {.threads = threads}),
        x(filled({s.batch, s.length, row_of(s)})),
        y({s.batch, s.length, s.width}),
        query(heads(s, 0)),
        key(heads(s, 1)),
        value(heads(s, 2)),
        output(y.data(), headwise::DType::f32, query.shape, strides(s, s.width)) {}
  void run() { session.run({.query = query, .key = key, .value = value}, {.output = output}); }

 private:
  static std::int64_t row_of(const Sizes& s) { return 3 * s.width % 512 == 0 ? 3 * s.width + 16 : 3 * s.width; }
  static headwise::Dims strides(const Sizes& s, std::int64_t row) { return {s.length * row, s.head_dim(), row, 1}; }
  headwise::TensorView heads(const Sizes& s, std::int64_t which) {
    return {x.data() + which * s.width,
            headwise::DType::f32,
            {s.batch, s.heads, s.length, s.head_dim()},
            strides(s, row_of(s))};
  }
};
