// Short forms for running a call and looking at its results.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "headwise/attention.hpp"
#include "model.hpp"
#include "random.hpp"

// Stands in outputs before a run, so that an element that was never written shows.
inline constexpr float unwritten = 12345.0F;

inline headwise::Tensor filled(const headwise::Dims& shape, float value) {
  headwise::Tensor result(shape);
  std::fill_n(result.data(), result.size(), value);
  return result;
}

inline headwise::Tensor random_tensor(Random& random, const headwise::Dims& shape, float limit = 1) {
  headwise::Tensor result(shape);
  random.fill(result.data(), result.size(), -limit, limit);
  return result;
}

// A small layer whose query heads share key/value heads.
inline headwise::AttentionConfig grouped_config() {
  headwise::AttentionConfig config;
  config.model_dim = 24;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 6;
  return config;
}

struct Want {
  bool attention = false, average = false;
};

struct Results {
  headwise::Tensor output, attention, average;

  headwise::AttentionOutputs outputs() {
    return {output.mutable_view(), attention.mutable_view(), average.mutable_view()};
  }
};

// Outputs of the right shapes for a batched call.
inline Results make_results(const headwise::MultiHeadAttention& model, const headwise::AttentionInputs& inputs,
                            Want want = {}) {
  const headwise::AttentionConfig& c = model.config();
  const headwise::Dims& q = inputs.query.shape;
  const int rank = q.rank();
  const bool projected = model.model().projected;
  const std::int64_t batch = rank == 2 ? 1 : q[0], queries = q[rank - 2];
  const std::int64_t keys = inputs.key.shape[inputs.key.shape.rank() - 2];
  headwise::Dims shape = q;
  shape[rank - 1] = projected ? c.output_dim : c.value_dim;
  Results results{filled(shape, unwritten), {}, {}};
  if (want.attention) results.attention = filled({batch, c.num_heads, queries, keys}, unwritten);
  if (want.average) results.average = filled({batch, queries, keys}, unwritten);
  return results;
}

inline Results run(const headwise::MultiHeadAttention& model, const headwise::AttentionInputs& inputs, Want want = {},
                   const headwise::SessionOptions& options = {1, headwise::Schedule::automatic}) {
  Results results = make_results(model, inputs, want);
  headwise::Session(model, options).run(inputs, results.outputs());
  return results;
}

// A model of attention alone for these three tensors [B, H, L, size].
inline headwise::AttentionConfig heads_config(const headwise::TensorView& query, const headwise::TensorView& key,
                                              const headwise::TensorView& value) {
  headwise::AttentionConfig config;
  config.num_heads = query.shape[1];
  config.num_kv_heads = key.shape[1];
  config.head_dim = query.shape[3];
  config.value_dim = value.shape[3];
  return config;
}

inline headwise::AttentionInputs inputs_of(const headwise::TensorView& query, const headwise::TensorView& key,
                                           const headwise::TensorView& value) {
  headwise::AttentionInputs inputs;
  inputs.query = query;
  inputs.key = key;
  inputs.value = value;
  return inputs;
}

inline headwise::MultiHeadAttention heads_model(const headwise::AttentionInputs& inputs, const std::string& isa,
                                                std::optional<float> scale = {}) {
  headwise::AttentionConfig config = heads_config(inputs.query, inputs.key, inputs.value);
  config.scale = scale;
  return headwise::MultiHeadAttention::without_projections(config, {isa, false});
}

inline bool same_bits(const headwise::Tensor& a, const headwise::Tensor& b) {
  if (a.given() != b.given()) return false;
  if (!a.given()) return true;
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * sizeof(float);
  return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), bytes) == 0;
}

// A part of an axis, as a view.
inline headwise::TensorView slice(const headwise::TensorView& view, int axis, std::int64_t first, std::int64_t count) {
  headwise::TensorView part = view;
  const auto bytes = static_cast<std::int64_t>(headwise::dtype_size(view.dtype));
  part.data = static_cast<const char*>(view.data) + first * view.strides[axis] * bytes;
  part.shape[axis] = count;
  return part;
}

inline headwise::Tensor copy_of(const headwise::TensorView& view) {
  return headwise::convert(view, view.dtype);
}
