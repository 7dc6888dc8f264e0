#include "model_parts.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "elements.hpp"
#include "headwise/layer_tensors.hpp"
#include "relative_table.hpp"

namespace headwise::runtime {

namespace {

// Positions whose angles are computed with the model; others are computed when they come.
constexpr std::int64_t ready_positions = 2048;

// The bias is the first extra key or value; what follows stays zeros.
void put_first_row(const Tensor& bias, Tensor& rows) {
  if (bias.given()) std::memcpy(rows.data(), bias.data(), sizeof(float) * static_cast<std::size_t>(bias.size()));
}

Tensor in_f64(const Model& model, const Tensor& tensor) {
  return tensor.given() && takes_f64(model) ? convert(tensor, DType::f64) : Tensor();
}

void take_extra_keys(Model& model, const AttentionWeights& w) {
  const AttentionConfig& c = model.config;
  check_bias("bias_key", w.bias_key, c.num_kv_heads * c.head_dim);
  check_bias("bias_value", w.bias_value, c.num_kv_heads * c.value_dim);
  if (w.bias_key.given() != w.bias_value.given()) {
    throw Error(ErrorCode::invalid_argument, std::string(w.bias_key.given() ? "bias_value" : "bias_key") +
                                                 " is missing: bias_key and bias_value make one key together");
  }
  const std::int64_t count = (w.bias_key.given() ? 1 : 0) + (c.add_zero_attention ? 1 : 0);
  if (count == 0) return;
  model.extra_keys = Tensor({count, c.num_kv_heads * c.head_dim});
  model.extra_values = Tensor({count, c.num_kv_heads * c.value_dim});
  put_first_row(w.bias_key, model.extra_keys);
  put_first_row(w.bias_value, model.extra_values);
  model.extra_keys_f64 = in_f64(model, model.extra_keys);
  model.extra_values_f64 = in_f64(model, model.extra_values);
}

void take_relative_bias(Model& model, const Tensor& bias) {
  const AttentionConfig& c = model.config;
  const std::int64_t buckets = bias.given() && bias.shape().rank() == 2 ? bias.shape()[0] : 1;
  check_matrix("relative_bias", bias, {buckets, c.num_heads});
  for (std::int64_t h = 0; h < c.num_heads; ++h) {
    model.relative.push_back(
        relative_table(bias.data(), buckets, c.num_heads, h, c.position_bias, kernels::relative_margin));
    if (takes_f64(model)) model.relative_f64.emplace_back(model.relative.back().begin(), model.relative.back().end());
  }
}

std::vector<float> slopes_of(const AttentionConfig& c, const Tensor& given) {
  check_bias("alibi_slopes", given, c.num_heads);
  if (given.given()) return {given.data(), given.data() + c.num_heads};
  return alibi_slopes(c.num_heads, c.position_bias.slopes, c.position_bias.alibi_max);
}

void take_position_bias(Model& model, const AttentionWeights& w) {
  const AttentionConfig& c = model.config;
  const PositionBias kind = c.position_bias.kind;
  if (w.relative_bias.given() && kind != PositionBias::t5) {
    throw Error(ErrorCode::invalid_argument, "relative_bias is given, but the config's position_bias is not t5");
  }
  if (w.alibi_slopes.given() && kind != PositionBias::alibi) {
    throw Error(ErrorCode::invalid_argument, "alibi_slopes are given, but the config's position_bias is not alibi");
  }
  if (kind == PositionBias::t5) take_relative_bias(model, w.relative_bias);
  if (kind == PositionBias::alibi) model.slopes = slopes_of(c, w.alibi_slopes);
}

}  // namespace

const AttentionWeights& in_f32(const AttentionWeights& weights, AttentionWeights& wide) {
  const auto is_half_tensor = [&](const LayerTensor& part) {
    const Tensor& tensor = weights.*part.tensor;
    return tensor.given() && is_half(tensor.dtype());
  };
  if (std::none_of(std::begin(layer_tensors), std::end(layer_tensors), is_half_tensor)) return weights;
  wide.config = weights.config;
  for (const LayerTensor& part : layer_tensors) {
    const Tensor& tensor = weights.*part.tensor;
    wide.*part.tensor = is_half_tensor(part) ? convert(tensor, DType::f32) : tensor;
  }
  return wide;
}

bool takes_f64(const Model& model) noexcept {
  return !model.projected && model.kernels == kernels::find_kernels("reference");
}

void check_matrix(const char* name, const Tensor& tensor, const Dims& expected) {
  if (tensor.given() && tensor.dtype() == DType::f32 && tensor.shape() == expected) return;
  throw Error(ErrorCode::invalid_argument,
              std::string(name) +
                  (tensor.given() ? " is " + std::string(dtype_name(tensor.dtype())) + " " + to_string(tensor.shape())
                                  : " is missing") +
                  "; expected f32 " + to_string(expected));
}

void check_bias(const char* name, const Tensor& bias, std::int64_t size) {
  if (bias.given()) check_matrix(name, bias, {size});
}

void take_score_parts(Model& model, const AttentionWeights& w) {
  const AttentionConfig& c = model.config;
  check_bias("query_norm", w.query_norm, c.head_dim);
  check_bias("key_norm", w.key_norm, c.head_dim);
  check_bias("sinks", w.sinks, c.num_heads);
  model.query_norm = w.query_norm;
  model.key_norm = w.key_norm;
  model.query_norm_f64 = in_f64(model, w.query_norm);
  model.key_norm_f64 = in_f64(model, w.key_norm);
  model.sinks = w.sinks;
  take_extra_keys(model, w);
  take_position_bias(model, w);
  if (c.rotary.dim > 0) model.rotary = RotaryTable(c.rotary, ready_positions);
}

}  // namespace headwise::runtime
