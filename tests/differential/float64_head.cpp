// All rows of attention: the heads of a call, one after the other.
#include <algorithm>

#include "float64_attend.hpp"
#include "float64_call.hpp"
#include "float64_positions.hpp"

namespace differential {

using namespace headwise;

namespace {

// The keys that come last and that every query sees.
struct ExtraKeys {
  std::vector<std::vector<Number>> keys, values;  // each [Hkv · size]

  explicit ExtraKeys(const Layer& layer) {
    const AttentionConfig& c = layer.config;
    const auto numbers = [](const Tensor& tensor) {
      std::vector<Number> all;
      for (std::int64_t i = 0; i < tensor.size(); ++i) all.push_back({double(tensor.data()[i]), 0});
      return all;
    };
    if (layer.weights.bias_key.given()) {
      keys.push_back(numbers(layer.weights.bias_key));
      values.push_back(numbers(layer.weights.bias_value));
    }
    if (!c.add_zero_attention) return;
    keys.emplace_back(std::size_t(c.num_kv_heads * c.head_dim));
    values.emplace_back(std::size_t(c.num_kv_heads * c.value_dim));
  }
};

KeyRow key_row(const Numbers& rows, const std::vector<std::vector<Number>>& extra, std::int64_t b, std::int64_t h) {
  KeyRow all;
  for (std::int64_t j = 0; j < rows.size(2); ++j) all.push_back(rows.row(b, h, j));
  for (const std::vector<Number>& one : extra) all.push_back(one.data() + h * rows.size(3));
  return all;
}

ScoreRules rules_of(const Layer& layer, std::int64_t h, const std::vector<Number>& sinks) {
  const AttentionWeights& w = layer.weights;
  const AttentionConfig& c = w.config;
  ScoreRules rules{c.scale ? double(*c.scale) : 1 / std::sqrt(double(c.head_dim)), double(c.softcap)};
  if (c.position_bias.kind == PositionBias::alibi) {
    const double slope = slopes(c.position_bias, c.num_heads)[std::size_t(h)];
    rules.slope = double(w.alibi_slopes.given() ? w.alibi_slopes.data()[h] : float(slope));  // the public ones are f32
  }
  if (c.position_bias.kind == PositionBias::t5) {
    rules.buckets = &c.position_bias;
    for (std::int64_t i = 0; i < w.relative_bias.shape()[0]; ++i) {
      rules.relative.push_back(double(w.relative_bias.data()[i * c.num_heads + h]));
    }
  }
  if (!sinks.empty() && sinks[std::size_t(h)].value != dead) rules.sink = &sinks[std::size_t(h)];
  return rules;
}

struct Head {
  const Layer& layer;
  const Call& call;
  const Precision& precision;
  KeyRow keys, values;
  ScoreRules rules;
};

const std::vector<Number>& stage_of(const ScoreRow& row, ScoreStage stage) {
  return stage == ScoreStage::scaled ? row.scaled : stage == ScoreStage::capped ? row.capped : row.masked;
}

Number gated(const Number& x, double gate, const Precision& p) {
  return {x.value * gate, std::fabs(gate) * (x.error + p.eps * std::fabs(x.value))};
}

// What a mean or a sum is taken over in a row without a live key.
std::vector<char> own_keys(const Head& head, const Place& place) {
  std::vector<char> own(head.keys.size());
  std::fill_n(own.begin(), sequence(head.call, place.batch).keys, char(1));
  return own;
}

void fill_nan(Attended& result, const Place& place) {
  const Number nan{std::numeric_limits<double>::quiet_NaN(), 0};
  std::fill_n(result.context.row(place.batch, place.head, place.query), result.context.size(3), nan);
}

void write_row(const Head& head, const Place& place, const ScoreRow& scores, Attended& result) {
  const AttentionConfig& c = head.layer.config;
  const bool empty = !scores.any_live() && head.rules.sink == nullptr;
  const std::int64_t own = sequence(head.call, place.batch).keys, width = std::ssize(head.keys);
  const WeightRow row =
      empty ? empty_row(width, own, c.rows_without_keys) : softmax_row(scores, head.rules, head.precision);
  const bool reads_values = !empty || c.rows_without_keys != RowsWithoutKeys::zero;
  const auto context = mix_row(row, empty ? own_keys(head, place) : scores.live, head.values,
                               reads_values ? c.value_dim : 0, head.precision);
  const auto put = [&](Numbers& grid, const std::vector<Number>& numbers) {
    std::copy(numbers.begin(), numbers.end(), grid.row(place.batch, place.head, place.query));
  };
  put(result.weights, row.weights);
  put(result.log_sum_exp, {row.log_sum_exp});
  put(result.scores, stage_of(scores, head.call.outputs.score_stage));
  if (reads_values) put(result.context, context);
  if (empty && c.rows_without_keys == RowsWithoutKeys::nan) fill_nan(result, place);
  std::copy(scores.live.begin(), scores.live.end(), result.live.row(place.batch, place.head, place.query));
}

void gate_row(const Head& head, const Place& place, Attended& result) {
  const bool part = takes_part(head.call, place.batch, place.head);
  const double gate = gate_of(head.call, place.batch, place.head);
  for (std::int64_t c = 0; c < result.context.size(3); ++c) {
    Number& x = result.context.at(place.batch, place.head, place.query, c);
    x = part && gate != 0 ? gated(x, gate, head.precision) : Number{};
  }
}

// Scores before the mask mean nothing where a ragged batch or a cache has no key.
void forget_padding_scores(const Head& head, const Place& place, Attended& result) {
  if (head.call.outputs.score_stage == ScoreStage::masked) return;
  for (std::int64_t j = sequence(head.call, place.batch).keys; j < head.call.keys; ++j) {
    result.scores.at(place.batch, place.head, place.query, j).error = anything;
  }
}

void attend_head(const Head& head, const Numbers& query, std::int64_t b, std::int64_t h, Attended& result) {
  for (std::int64_t i = 0; i < live_queries(head.call, b); ++i) {
    const Place place{b, h, i, 0};
    const ScoreRow scores =
        score_row(head.call, place, query.row(b, h, i), head.keys, query.size(3), head.rules, head.precision);
    write_row(head, place, scores, result);
    gate_row(head, place, result);
    forget_padding_scores(head, place, result);
  }
}

}  // namespace

bool takes_part(const Call& call, std::int64_t, std::int64_t head) {
  const TensorView& heads = call.inputs.heads;
  if (!heads.given) return true;
  for (std::int64_t i = 0; i < heads.shape[0]; ++i) {
    if (integer_at(heads, {i}) == head) return true;
  }
  return false;
}

double gate_of(const Call& call, std::int64_t b, std::int64_t head) {
  const TensorView& gate = call.inputs.head_gate;
  return gate.given ? gate.shape.rank() == 1 ? number_at(gate, {head}) : number_at(gate, {b, head}) : 1;
}

namespace {

// Rows past a sequence's own stay as they are here: zeros, but for the logarithm.
Attended empty_result(const Layer& layer, const Call& call) {
  const AttentionConfig& c = layer.config;
  const std::int64_t width = call.keys + layer.extra_keys();
  const auto grid = [&](std::int64_t size, const Number& fill) {
    return Numbers(call.batch, c.num_heads, call.queries, size, fill);
  };
  return {grid(width, {}), grid(width, {}), grid(1, {dead, 0}), grid(c.value_dim, {}),
          Grid<char>(call.batch, c.num_heads, call.queries, width)};
}

std::vector<Number> sinks_of(const Layer& layer) {
  std::vector<Number> sinks;
  for (std::int64_t h = 0; h < layer.weights.sinks.size(); ++h) {
    sinks.push_back({double(layer.weights.sinks.data()[h]), 0});
  }
  return sinks;
}

}  // namespace

Attended attend(const Layer& layer, const Call& call, const Operands& operands, const Precision& precision) {
  const std::int64_t heads = layer.config.num_heads, group = heads / layer.config.num_kv_heads;
  const ExtraKeys extra(layer);
  const std::vector<Number> sinks = sinks_of(layer);
  Attended result = empty_result(layer, call);
  for (std::int64_t b = 0; b < call.batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h) {
      const Head head{layer,
                      call,
                      precision,
                      key_row(operands.key, extra.keys, b, h / group),
                      key_row(operands.value, extra.values, b, h / group),
                      rules_of(layer, h, sinks)};
      attend_head(head, operands.query, b, h, result);
    }
  return result;
}

}  // namespace differential
