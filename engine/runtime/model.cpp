#include "model.hpp"

#include "float_mode.hpp"
#include "model_parts.hpp"
#include "out_of_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "logging.hpp"
#include "memory.hpp"

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

projection::LinearPart part_of(const Tensor& weight, const Tensor& bias) {
  return {weight.data(), data_or_null(bias), weight.shape()[0]};
}

projection::LinearShape inner_shape(std::int64_t in, std::int64_t out) {
  return {in, out, padded_stride(out)};
}

void put(Model& model, Product product, Linear linear) {
  model.products[static_cast<std::size_t>(product)].emplace(std::move(linear));
}

// Query, key and value as one product.
void pack_fused(Model& model, const AttentionWeights& w) {
  const std::array parts{part_of(w.query_weight, w.query_bias), part_of(w.key_weight, w.key_bias),
                         part_of(w.value_weight, w.value_bias)};
  const std::int64_t out = parts[0].out + parts[1].out + parts[2].out;
  put(model, Product::qkv, Linear(parts, inner_shape(model.config.model_dim, out), model.kernels, model.allocator));
}

// One of the three alone: in the memory of the fused product, where it lies behind `first` columns, if that can be.
void pack_inner(Model& model, Product product, const projection::LinearPart& part, std::int64_t in,
                std::int64_t first) {
  const projection::LinearShape shape = inner_shape(in, part.out);
  const auto& fused = model.product(Product::qkv);
  std::optional<Linear> shared = fused ? fused->columns(first, shape) : std::nullopt;
  put(model, product, shared ? std::move(*shared) : Linear(std::array{part}, shape, model.kernels, model.allocator));
}

void pack(Model& model, const AttentionWeights& w, bool self_attention_only) {
  const AttentionConfig& c = model.config;
  const bool one_width = c.model_dim == c.key_input_dim && c.model_dim == c.value_input_dim;
  if (self_attention_only && !one_width) {
    throw Error(ErrorCode::invalid_argument, "self_attention_only needs query, key and value inputs of one width");
  }
  if (one_width) pack_fused(model, w);
  if (!self_attention_only) {
    const std::int64_t queries = c.num_heads * c.head_dim;
    const std::int64_t keys = c.num_kv_heads * c.head_dim;
    pack_inner(model, Product::query, part_of(w.query_weight, w.query_bias), c.model_dim, 0);
    pack_inner(model, Product::key, part_of(w.key_weight, w.key_bias), c.key_input_dim, queries);
    pack_inner(model, Product::value, part_of(w.value_weight, w.value_bias), c.value_input_dim, queries + keys);
  }
  const std::int64_t in = w.output_weight.shape()[1];
  put(model, Product::output,
      Linear(w.output_weight.data(), data_or_null(w.output_bias), {in, c.output_dim, c.output_dim}, model.kernels,
             model.allocator));
}

std::shared_ptr<Model> make_model(const AttentionWeights& weights, const ModelOptions& options, bool projected) {
  auto model = std::make_shared<Model>();
  check_allocator(options.allocator);
  model->config = resolve(weights.config);
  model->scale = weights.config.scale ? double(*weights.config.scale) : 1 / std::sqrt(double(model->config.head_dim));
  model->kernels = &runtime::choose_kernels(options.isa);
  model->projected = projected;
  model->allocator = options.allocator;
  runtime::take_score_parts(*model, weights);
  log(LogLevel::info, [&] {
    return "a layer of " + std::to_string(model->config.num_heads) + " heads runs on " + model->kernels->isa;
  });
  return model;
}

void keep_output_rows(Model& model, const Tensor& weight) {
  model.output_rows = Tensor(DType::f32, weight.shape(), model.allocator);
  std::copy_n(weight.data(), weight.size(), model.output_rows.data());
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

MultiHeadAttention::MultiHeadAttention(const AttentionWeights& given, const ModelOptions& options) try {
  const FloatMode mode;
  AttentionWeights wide;
  const AttentionWeights& weights = runtime::in_f32(given, wide);
  auto model = make_model(weights, options, true);
  check_weights(model->config, weights);
  pack(*model, weights, options.self_attention_only);
  if (options.head_contribution) keep_output_rows(*model, weights.output_weight);
  model_ = std::move(model);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a model");
}

MultiHeadAttention MultiHeadAttention::without_projections(const AttentionConfig& config, const ModelOptions& options) {
  AttentionWeights weights;
  weights.config = config;
  return without_projections(weights, options);
}

MultiHeadAttention MultiHeadAttention::without_projections(const AttentionWeights& given,
                                                           const ModelOptions& options) try {
  const FloatMode mode;
  AttentionWeights wide;
  const AttentionWeights& weights = runtime::in_f32(given, wide);
  check_no_matrices(weights);
  return MultiHeadAttention(std::shared_ptr<const Model>(make_model(weights, options, false)));
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a model");
}

const AttentionConfig& MultiHeadAttention::config() const noexcept {
  return model_->config;
}
const char* MultiHeadAttention::isa() const noexcept {
  return model_->kernels->isa;
}

}  // namespace headwise
