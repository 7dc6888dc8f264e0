#include <algorithm>
#include <utility>

#include "headwise/weights.hpp"
#include "out_of_memory.hpp"

namespace headwise {
namespace {

using Heads = std::vector<std::int64_t>;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

Heads sorted_heads(Heads heads, std::int64_t num_heads) {
  if (heads.empty()) refuse("keep_heads: no head is listed, one must stay");
  std::sort(heads.begin(), heads.end());
  for (const std::int64_t head : heads) {
    if (head >= 0 && head < num_heads) continue;
    refuse("keep_heads: there is no head " + std::to_string(head) + " among " + std::to_string(num_heads));
  }
  const auto twice = std::adjacent_find(heads.begin(), heads.end());
  if (twice != heads.end()) refuse("keep_heads: head " + std::to_string(*twice) + " is listed twice");
  return heads;
}

// Query head h uses key/value head h / group, before and after, so each that stays must keep as many query heads.
Heads kv_heads_of(const Heads& heads, std::int64_t group) {
  Heads kv_heads;
  for (const std::int64_t head : heads) {
    if (kv_heads.empty() || kv_heads.back() != head / group) kv_heads.push_back(head / group);
  }
  const auto users = [&](std::int64_t kv) {
    return std::count_if(heads.begin(), heads.end(), [&](std::int64_t head) { return head / group == kv; });
  };
  for (const std::int64_t kv : kv_heads) {
    if (users(kv) == users(kv_heads[0])) continue;
    refuse("keep_heads: key/value head " + std::to_string(kv_heads[0]) + " would serve " +
           std::to_string(users(kv_heads[0])) + " heads and key/value head " + std::to_string(kv) + " " +
           std::to_string(users(kv)) + "; all that stay must serve equally many");
  }
  return kv_heads;
}

// Every `block` elements of a row belong to one head; a tensor that is not given stays so.
struct Slice {
  const char* name;
  Tensor& tensor;
  Dims shape;  // what it must be
  int axis;    // the one that holds the heads
  std::int64_t block;
  const Heads& heads;
};

void check(const Slice& slice) {
  if (slice.tensor.dtype() == DType::f32 && slice.tensor.shape() == slice.shape) return;
  refuse(std::string("keep_heads: ") + slice.name + ": expected f32 " + to_string(slice.shape) + ", found " +
         dtype_name(slice.tensor.dtype()) + " " + to_string(slice.tensor.shape()));
}

Tensor sliced(const Slice& slice) {
  Dims shape = slice.shape;
  shape[slice.axis] = static_cast<std::int64_t>(slice.heads.size()) * slice.block;
  Tensor result(shape);
  // Axes before the heads are rows, those behind them lengthen a head's run of elements.
  std::int64_t rows = 1, run = slice.block;
  for (int axis = 0; axis < slice.axis; ++axis) rows *= shape[axis];
  for (int axis = slice.axis + 1; axis < shape.rank(); ++axis) run *= shape[axis];
  const std::int64_t row_size = slice.shape[slice.axis] / slice.block * run;
  float* to = result.data();
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* from = std::as_const(slice.tensor).data() + row * row_size;
    for (const std::int64_t head : slice.heads) to = std::copy_n(from + head * run, run, to);
  }
  return result;
}

// Those of a pruned layer can't be computed from its number of heads any more.
void fill_slopes(AttentionWeights& weights) {
  const PositionBiasConfig& bias = weights.config.position_bias;
  if (bias.kind != PositionBias::alibi || weights.alibi_slopes.given()) return;
  const std::vector<float> slopes = alibi_slopes(weights.config.num_heads, bias.slopes, bias.alibi_max);
  weights.alibi_slopes = Tensor({weights.config.num_heads});
  std::copy(slopes.begin(), slopes.end(), weights.alibi_slopes.data());
}

std::vector<Slice> slices_of(AttentionWeights& w, const Heads& heads, const Heads& kv_heads) {
  const AttentionConfig& c = w.config;
  const std::int64_t query = c.num_heads * c.head_dim, context = c.num_heads * c.value_dim;
  const std::int64_t key = c.num_kv_heads * c.head_dim, value = c.num_kv_heads * c.value_dim;
  // Only the table itself says how many buckets it has.
  const std::int64_t buckets =
      w.relative_bias.shape().rank() > 0 ? std::max<std::int64_t>(w.relative_bias.shape()[0], 1) : 1;
  return {{"query_weight", w.query_weight, {query, c.model_dim}, 0, c.head_dim, heads},
          {"key_weight", w.key_weight, {key, c.key_input_dim}, 0, c.head_dim, kv_heads},
          {"value_weight", w.value_weight, {value, c.value_input_dim}, 0, c.value_dim, kv_heads},
          {"output_weight", w.output_weight, {c.output_dim, context}, 1, c.value_dim, heads},
          {"query_bias", w.query_bias, {query}, 0, c.head_dim, heads},
          {"key_bias", w.key_bias, {key}, 0, c.head_dim, kv_heads},
          {"value_bias", w.value_bias, {value}, 0, c.value_dim, kv_heads},
          {"bias_key", w.bias_key, {key}, 0, c.head_dim, kv_heads},
          {"bias_value", w.bias_value, {value}, 0, c.value_dim, kv_heads},
          {"sinks", w.sinks, {c.num_heads}, 0, 1, heads},
          {"relative_bias", w.relative_bias, {buckets, c.num_heads}, 1, 1, heads},
          {"alibi_slopes", w.alibi_slopes, {c.num_heads}, 0, 1, heads}};
}

}  // namespace

AttentionWeights keep_heads(const AttentionWeights& weights, const std::vector<std::int64_t>& heads) try {
  const AttentionConfig config = resolve(weights.config);
  const Heads kept = sorted_heads(heads, config.num_heads);
  const Heads kv_heads = kv_heads_of(kept, config.num_heads / config.num_kv_heads);
  AttentionWeights result = weights;
  result.config = config;  // with the sizes and the scale that the whole layer has
  fill_slopes(result);
  const std::vector<Slice> slices = slices_of(result, kept, kv_heads);
  for (const Slice& slice : slices) {
    if (slice.tensor.given()) check(slice);
  }
  for (const Slice& slice : slices) {
    if (slice.tensor.given()) slice.tensor = sliced(slice);
  }
  result.config.num_heads = static_cast<std::int64_t>(kept.size());
  result.config.num_kv_heads = static_cast<std::int64_t>(kv_heads.size());
  return result;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to keep some heads of a layer");
}

}  // namespace headwise
