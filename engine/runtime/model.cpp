#include "model.hpp"

#include "model_parts.hpp"

#include <cmath>
#include <cstring>

namespace headwise {

namespace {

using projection::Linear;
using runtime::check_bias;
using runtime::check_matrix;
using runtime::Model;
using runtime::Product;

void check_weights(const AttentionConfig& c, const AttentionWeights& w) {
  const std::int64_t query = c.num_heads * c.head_dim;
  const std::int64_t key = c.num_kv_heads * c.head_dim;
  const std::int64_t value = c.num_kv_heads * c.value_dim;
  check_matrix("query_weight", w.query_weight, {query, c.model_dim});
  check_matrix("key_weight", w.key_weight, {key, c.key_input_dim});
  check_matrix("value_weight", w.value_weight, {value, c.value_input_dim});
  check_matrix("output_weight", w.output_weight, {c.output_dim, c.num_heads * c.value_dim});
  check_bias("query_bias", w.query_bias, query);
  check_bias("key_bias", w.key_bias, key);
  check_bias("value_bias", w.value_bias, value);
  check_bias("output_bias", w.output_bias, c.output_dim);
}

// Rows of a multiple of 2 KiB put all rows of a head into a few cache sets; 16 floats more spread them.
std::int64_t padded_stride(std::int64_t floats) {
  return floats % 512 == 0 ? floats + 16 : floats;
}

const float* data_or_null(const Tensor& tensor) {
  return tensor.given() ? tensor.data() : nullptr;
}

Linear make_inner(const Tensor& weight, const Tensor& bias) {
  const std::int64_t out = weight.shape()[0];
  return Linear(weight.data(), data_or_null(bias), {weight.shape()[1], out, padded_stride(out)});
}

void append_rows(const Tensor& from, std::int64_t count, float*& to) {
  if (from.given()) std::memcpy(to, from.data(), sizeof(float) * static_cast<std::size_t>(count));
  to += count;
}

// Query, key and value as one product.
Linear make_fused(const AttentionWeights& w) {
  const std::int64_t in = w.query_weight.shape()[1];
  const std::int64_t out = w.query_weight.shape()[0] + w.key_weight.shape()[0] + w.value_weight.shape()[0];
  Tensor weight({out, in});
  Tensor bias({out});
  float* to_weight = weight.data();
  float* to_bias = bias.data();
  append_rows(w.query_weight, w.query_weight.size(), to_weight);
  append_rows(w.key_weight, w.key_weight.size(), to_weight);
  append_rows(w.value_weight, w.value_weight.size(), to_weight);
  append_rows(w.query_bias, w.query_weight.shape()[0], to_bias);
  append_rows(w.key_bias, w.key_weight.shape()[0], to_bias);
  append_rows(w.value_bias, w.value_weight.shape()[0], to_bias);
  return Linear(weight.data(), bias.data(), {in, out, padded_stride(out)});
}

void put(Model& model, Product product, Linear linear) {
  model.products[static_cast<std::size_t>(product)].emplace(std::move(linear));
}

void pack(Model& model, const AttentionWeights& w, bool self_attention_only) {
  const AttentionConfig& c = model.config;
  const bool one_width = c.model_dim == c.key_input_dim && c.model_dim == c.value_input_dim;
  if (self_attention_only && !one_width) {
    throw Error(ErrorCode::invalid_argument, "self_attention_only needs query, key and value inputs of one width");
  }
  if (one_width) put(model, Product::qkv, make_fused(w));
  if (!self_attention_only) {
    put(model, Product::query, make_inner(w.query_weight, w.query_bias));
    put(model, Product::key, make_inner(w.key_weight, w.key_bias));
    put(model, Product::value, make_inner(w.value_weight, w.value_bias));
  }
  const std::int64_t in = w.output_weight.shape()[1];
  put(model, Product::output,
      Linear(w.output_weight.data(), data_or_null(w.output_bias), {in, c.output_dim, c.output_dim}));
}

std::shared_ptr<Model> make_model(const AttentionWeights& weights, const ModelOptions& options, bool projected) {
  auto model = std::make_shared<Model>();
  model->config = resolve(weights.config);
  model->scale = weights.config.scale ? double(*weights.config.scale) : 1 / std::sqrt(double(model->config.head_dim));
  model->kernels = &runtime::choose_kernels(options.isa);
  model->projected = projected;
  runtime::take_score_parts(*model, weights);
  return model;
}

void check_no_matrices(const AttentionWeights& w) {
  for (const Tensor* tensor : {&w.query_weight, &w.key_weight, &w.value_weight, &w.output_weight, &w.query_bias,
                               &w.key_bias, &w.value_bias, &w.output_bias}) {
    if (!tensor->given()) continue;
    throw Error(ErrorCode::invalid_argument, "without_projections takes no projection weights or biases; one is given");
  }
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::shared_ptr<const Model> model) noexcept : model_(std::move(model)) {}

MultiHeadAttention::MultiHeadAttention(const AttentionWeights& given, const ModelOptions& options) {
  AttentionWeights wide;
  const AttentionWeights& weights = runtime::in_f32(given, wide);
  auto model = make_model(weights, options, true);
  check_weights(model->config, weights);
  pack(*model, weights, options.self_attention_only);
  if (options.head_contribution) model->output_rows = weights.output_weight;
  model_ = std::move(model);
}

MultiHeadAttention MultiHeadAttention::without_projections(const AttentionConfig& config, const ModelOptions& options) {
  AttentionWeights weights;
  weights.config = config;
  return without_projections(weights, options);
}

MultiHeadAttention MultiHeadAttention::without_projections(const AttentionWeights& given, const ModelOptions& options) {
  AttentionWeights wide;
  const AttentionWeights& weights = runtime::in_f32(given, wide);
  check_no_matrices(weights);
  return MultiHeadAttention(std::shared_ptr<const Model>(make_model(weights, options, false)));
}

const AttentionConfig& MultiHeadAttention::config() const noexcept {
  return model_->config;
}
const char* MultiHeadAttention::isa() const noexcept {
  return model_->kernels->isa;
}

}  // namespace headwise
