// The layer: sizes, weights and what the config turns on.
#include <algorithm>
#include <cmath>
#include <limits>

#include "choose.hpp"

namespace differential {

using namespace headwise;

namespace {

std::int64_t small_size(Random& random, std::int64_t most) {
  return 1 + random.below(random.chance(0.15) ? most : std::min<std::int64_t>(most, 24));
}

void choose_sizes(Layer& layer, AttentionConfig& c, Random& random) {
  layer.projected = random.chance(0.5);
  c.num_kv_heads = 1 + random.below(3);
  c.num_heads = c.num_kv_heads * pick<std::int64_t>(random, {1, 1, 2, c.num_kv_heads == 1 ? 5 : 2});
  const std::int64_t most = layer.projected ? std::min<std::int64_t>(70, 200 / c.num_heads) : 70;
  c.head_dim = small_size(random, most);
  c.value_dim = random.chance(0.6) ? c.head_dim : small_size(random, most);
  if (!layer.projected) return;
  c.model_dim = random.chance(0.5) ? c.num_heads * c.head_dim : small_size(random, 80);
  if (random.chance(0.25)) c.key_input_dim = small_size(random, 60);
  if (random.chance(0.25)) c.value_input_dim = small_size(random, 60);
  if (random.chance(0.25)) c.output_dim = small_size(random, 60);
}

void choose_scores(AttentionConfig& c, Random& random) {
  if (random.chance(0.3)) c.scale = random.uniform(-1.5F, 1.5F) / std::sqrt(float(c.head_dim));
  if (random.chance(0.2)) c.softcap = pick(random, {0.75F, 2.5F, 30.0F});
  c.rows_without_keys = pick(random, {RowsWithoutKeys::zero, RowsWithoutKeys::mean, RowsWithoutKeys::nan});
  c.add_zero_attention = random.chance(0.15);
}

void choose_scaling(RotaryConfig& r, Random& random) {
  r.scaling = RotaryScaling(random.below(r.dim > 2 ? 5 : 2));
  r.factor = r.scaling == RotaryScaling::none ? 1 : pick(random, {1.0, 2.0, 4.5, 8.0});
  if (r.scaling != RotaryScaling::yarn && r.scaling != RotaryScaling::llama3) return;
  r.original_positions = pick<std::int64_t>(random, {16, 100, 2048});
  if (random.chance(0.5)) return;
  r.low_frequency_factor = 1.5;
  r.high_frequency_factor = 6;
  r.beta_fast = 8;
  r.beta_slow = 2;
  r.attention_factor = 1.25;
}

void choose_rotary_config(AttentionConfig& c, Random& random) {
  if (c.head_dim < 2 || !random.chance(0.35)) return;
  RotaryConfig& r = c.rotary;
  const std::int64_t pairs = c.head_dim / 2;
  r.dim = 2 * (random.chance(0.6) ? pairs : 1 + random.below(pairs));
  r.layout = pick(random, {RotaryLayout::half_split, RotaryLayout::interleaved});
  r.base = pick(random, {10000.0, 100.0, 500000.0});
  if (random.chance(0.5)) choose_scaling(r, random);
}

Tensor numbers(Random& random, const Dims& shape, float low, float high) {
  Tensor tensor(shape);
  random.fill(tensor.data(), tensor.size(), low, high);
  return tensor;
}

void choose_position_bias(AttentionWeights& w, Random& random) {
  PositionBiasConfig& p = w.config.position_bias;
  if (!random.chance(0.3)) return;
  p.kind = pick(random, {PositionBias::alibi, PositionBias::t5});
  if (p.kind == PositionBias::alibi) {
    p.slopes = pick(random, {AlibiSlopes::interleaved, AlibiSlopes::geometric});
    if (random.chance(0.3)) p.alibi_max = pick(random, {4.0, 16.0});
    if (random.chance(0.2)) w.alibi_slopes = numbers(random, {w.config.num_heads}, -0.1F, 0.5F);
    return;
  }
  p.bidirectional = random.chance(0.5);
  p.max_distance = pick<std::int64_t>(random, {20, 64, 128});
  w.relative_bias = Tensor({pick<std::int64_t>(random, {4, 8, 10, 32}), w.config.num_heads});
  random.fill(w.relative_bias.data(), w.relative_bias.size(), -2, 2);
}

// Uniform in ±1.7/√in keeps the size of what goes in.
void choose_matrix(Tensor& weight, Tensor& bias, std::int64_t out, std::int64_t in, Random& random) {
  const float limit = 1.7F / std::sqrt(float(in));
  weight = numbers(random, {out, in}, -limit, limit);
  if (random.chance(0.5)) bias = numbers(random, {out}, -0.5F, 0.5F);
}

void choose_matrices(const AttentionConfig& c, AttentionWeights& w, Random& random) {
  choose_matrix(w.query_weight, w.query_bias, c.num_heads * c.head_dim, c.model_dim, random);
  choose_matrix(w.key_weight, w.key_bias, c.num_kv_heads * c.head_dim, c.key_input_dim, random);
  choose_matrix(w.value_weight, w.value_bias, c.num_kv_heads * c.value_dim, c.value_input_dim, random);
  choose_matrix(w.output_weight, w.output_bias, c.output_dim, c.num_heads * c.value_dim, random);
}

void choose_vectors(const AttentionConfig& c, AttentionWeights& w, Random& random) {
  if (random.chance(0.15)) w.query_norm = numbers(random, {c.head_dim}, 0.5F, 1.5F);
  if (random.chance(0.15)) w.key_norm = numbers(random, {c.head_dim}, 0.5F, 1.5F);
  if (random.chance(0.2)) w.sinks = numbers(random, {c.num_heads}, -2, 2);
  if (w.sinks.given() && random.chance(0.1)) w.sinks.data()[0] = -std::numeric_limits<float>::infinity();  // none
  if (!random.chance(0.15)) return;
  w.bias_key = numbers(random, {c.num_kv_heads * c.head_dim}, -1, 1);
  w.bias_value = numbers(random, {c.num_kv_heads * c.value_dim}, -1, 1);
}

// The header's rules for zeros.
AttentionConfig filled_in(AttentionConfig c) {
  const auto otherwise = [](std::int64_t& size, std::int64_t value) { size = size != 0 ? size : value; };
  otherwise(c.model_dim, c.num_heads * c.head_dim);
  for (std::int64_t* size : {&c.key_input_dim, &c.value_input_dim, &c.output_dim}) otherwise(*size, c.model_dim);
  if (!c.scale) c.scale = 1 / std::sqrt(float(c.head_dim));
  return c;
}

}  // namespace

void choose_layer(Layer& layer, Random& random) {
  AttentionWeights& w = layer.weights;
  choose_sizes(layer, w.config, random);
  choose_scores(w.config, random);
  choose_rotary_config(w.config, random);
  if (random.chance(0.2)) w.config.norm_epsilon = 1e-3F;
  choose_position_bias(w, random);
  layer.config = filled_in(w.config);
  if (layer.projected) choose_matrices(layer.config, w, random);
  choose_vectors(layer.config, w, random);
  layer.options.head_contribution = layer.projected && random.chance(0.3);
}

}  // namespace differential
