// A whole call in float64, from the definitions of the public header: masks are read here by code of its own, the heads
// by tests/support/oracle.hpp.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "headwise/attention.hpp"
#include "oracle.hpp"

inline double view_element(const headwise::TensorView& view, std::int64_t offset) {
  if (view.dtype == headwise::DType::f32) return double(static_cast<const float*>(view.data)[offset]);
  if (view.dtype == headwise::DType::i32) return double(static_cast<const std::int32_t*>(view.data)[offset]);
  if (view.dtype == headwise::DType::i64) return double(static_cast<const std::int64_t*>(view.data)[offset]);
  return double(static_cast<const std::uint8_t*>(view.data)[offset] != 0);
}

inline double element(const headwise::TensorView& view, std::initializer_list<std::int64_t> index) {
  std::int64_t offset = 0;
  int axis = 0;
  for (const std::int64_t i : index) offset += i * view.strides[axis++];
  return view_element(view, offset);
}

struct Position {
  std::int64_t batch, head, query, key;
};
inline constexpr double dead_key = -std::numeric_limits<double>::infinity();

// What one mask element says: the number to add, −inf for a dead key.
inline double mask_value(const headwise::TensorView& mask, headwise::BooleanMask meaning, std::int64_t offset) {
  const double value = view_element(mask, offset);
  if (mask.dtype == headwise::DType::f32) return value;
  return (value != 0) == (meaning == headwise::BooleanMask::keep) ? 0 : dead_key;
}

// Where the mask element of a position lies, nothing when the key is past a short last axis. Broadcast from the right.
inline std::optional<std::int64_t> mask_offset(const headwise::TensorView& mask, const Position& p) {
  const std::int64_t index[] = {p.batch, p.head, p.query, p.key};
  const int rank = mask.shape.rank();
  std::int64_t offset = 0;
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t i = index[4 - rank + axis];
    if (mask.shape[axis] == 1) continue;
    if (i >= mask.shape[axis]) return std::nullopt;
    offset += i * mask.strides[axis];
  }
  return offset;
}

inline double attention_mask_bias(const headwise::AttentionInputs& in, const Position& p) {
  if (!in.attention_mask.given) return 0;
  const auto offset = mask_offset(in.attention_mask, p);
  return offset ? mask_value(in.attention_mask, in.attention_mask_meaning, *offset) : dead_key;
}

inline double key_padding_bias(const headwise::AttentionInputs& in, const Position& p) {
  const headwise::TensorView& mask = in.key_padding_mask;
  if (!mask.given) return 0;
  std::int64_t offset = p.key * mask.strides[mask.shape.rank() - 1];
  if (mask.shape.rank() == 2 && mask.shape[0] > 1) offset += p.batch * mask.strides[0];
  return mask_value(mask, in.key_padding_meaning, offset);
}

// True when lengths or causality kill the key.
inline bool dead_by_position(const headwise::AttentionInputs& in, const Position& p, std::int64_t queries,
                             std::int64_t keys) {
  if (in.key_lengths.given && double(p.key) >= element(in.key_lengths, {p.batch})) return true;
  const bool lower = in.causal_alignment == headwise::CausalAlignment::lower_right;
  const std::int64_t last = in.key_lengths.given ? std::int64_t(element(in.key_lengths, {p.batch})) : keys;
  return in.causal && p.key > p.query + (lower ? last - queries : 0);
}

// Dead by any mask wins over NaN in another.
inline double total_bias(const headwise::AttentionInputs& in, const Position& p, std::int64_t queries,
                         std::int64_t keys) {
  if (dead_by_position(in, p, queries, keys)) return dead_key;
  const double attention = attention_mask_bias(in, p), padding = key_padding_bias(in, p);
  return attention == dead_key || padding == dead_key ? dead_key : attention + padding;
}

// Heads as functions (batch, head, row, column).
using HeadElement = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
struct Float64Heads {
  headwise::AttentionConfig config;  // resolved
  std::int64_t batch = 0, queries = 0, keys = 0;
  HeadElement query, key, value;
};

struct Float64Results {
  std::vector<double> output, unit;  // [B][H][Lq][dv]
  std::vector<double> weights;       // [B][H][Lq][Lk]
};

inline void apply_empty_policy(const OracleHead& head, headwise::RowsWithoutKeys policy, OracleResult& result) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t i = 0; i < head.queries && policy != headwise::RowsWithoutKeys::zero; ++i) {
    bool live = false;
    for (std::int64_t j = 0; j < head.keys; ++j) live = live || head.bias(i, j) != dead_key;
    if (live) continue;
    const bool mean = policy == headwise::RowsWithoutKeys::mean;
    const double weight = mean ? 1 / double(head.keys) : nan;
    for (std::int64_t j = 0; j < head.keys; ++j) result.weights[std::size_t(i * head.keys + j)] = weight;
    for (std::int64_t c = 0; c < head.value_dim; ++c) {
      double& output = result.output[std::size_t(i * head.value_dim + c)] = mean ? 0 : nan;
      double& unit = result.unit[std::size_t(i * head.value_dim + c)] = 0;
      for (std::int64_t j = 0; j < head.keys; ++j) {
        output += weight * head.value(j, c);
        unit += std::fabs(weight * head.value(j, c));
      }
    }
  }
}

inline OracleHead one_head(const Float64Heads& heads, const headwise::AttentionInputs& masks, std::int64_t b,
                           std::int64_t h) {
  const headwise::AttentionConfig& c = heads.config;
  const std::int64_t shared = h / (c.num_heads / c.num_kv_heads);
  OracleHead head;
  head.queries = heads.queries;
  head.keys = heads.keys;
  head.head_dim = c.head_dim;
  head.value_dim = c.value_dim;
  head.scale = double(*c.scale);
  head.query = [&heads, b, h](auto i, auto e) { return heads.query(b, h, i, e); };
  head.key = [&heads, b, shared](auto j, auto e) { return heads.key(b, shared, j, e); };
  head.value = [&heads, b, shared](auto j, auto e) { return heads.value(b, shared, j, e); };
  head.bias = [&heads, &masks, b, h](auto i, auto j) {
    return total_bias(masks, {b, h, i, j}, heads.queries, heads.keys);
  };
  return head;
}

inline Float64Results attend_float64(const Float64Heads& heads, const headwise::AttentionInputs& masks) {
  Float64Results all;
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (std::int64_t b = 0; b < heads.batch; ++b) {
    for (std::int64_t h = 0; h < heads.config.num_heads; ++h) {
      const OracleHead head = one_head(heads, masks, b, h);
      OracleResult result = oracle(head);
      apply_empty_policy(head, heads.config.rows_without_keys, result);
      append(all.output, result.output);
      append(all.unit, result.unit);
      append(all.weights, result.weights);
    }
  }
  return all;
}

// The call as it is, without projections.
inline Float64Results attend_float64(const headwise::AttentionConfig& config, const headwise::AttentionInputs& in) {
  const auto reader = [](const headwise::TensorView& view) {
    return [view](auto b, auto h, auto i, auto c) { return element(view, {b, h, i, c}); };
  };
  return attend_float64({config, in.query.shape[0], in.query.shape[2], in.key.shape[2], reader(in.query),
                         reader(in.key), reader(in.value)},
                        in);
}

// Averages of [B][H][Lq][Lk] over the heads.
inline std::vector<double> average_over_heads(const std::vector<double>& weights, std::int64_t batch,
                                              std::int64_t heads) {
  const std::size_t rows = batch * heads > 0 ? weights.size() / std::size_t(batch * heads) : 0;
  std::vector<double> result(rows * std::size_t(batch));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t b = i / (rows * std::size_t(heads));
    result[b * rows + i % rows] += weights[i] / double(heads);
  }
  return result;
}

// A NaN is right exactly where a NaN is expected.
inline void add_error(UnitError& error, double actual, double expected, double unit) {
  if (std::isnan(expected) && std::isnan(actual)) return;
  error.add(actual, expected, unit);
}
