// Every output of a call, row-major, from the heads.
#include "float64_call.hpp"

#include <algorithm>

#include "facts.hpp"
#include "float64_attend.hpp"

namespace differential {

using namespace headwise;

namespace {

std::vector<std::int64_t> chosen(const TensorView& ids, std::int64_t all) {
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < (ids.given ? ids.shape[0] : all); ++i)
    list.push_back(ids.given ? integer_at(ids, {i}) : i);
  return list;
}

// The chosen heads and queries of [B][H][Lq][width].
std::vector<Number> select(const Call& call, const Numbers& grid) {
  std::vector<Number> all;
  for (std::int64_t b = 0; b < grid.size(0); ++b)
    for (const std::int64_t h : chosen(call.outputs.attention_heads, grid.size(1)))
      for (const std::int64_t i : chosen(call.outputs.attention_queries, grid.size(2)))
        for (std::int64_t c = 0; c < grid.size(3); ++c) all.push_back(grid.at(b, h, i, c));
  return all;
}

std::vector<Number> average(const Numbers& weights, const Precision& p) {
  Numbers mean(weights.size(0), 1, weights.size(2), weights.size(3));
  const auto heads = double(weights.size(1));
  for (std::int64_t b = 0; b < weights.size(0); ++b)
    for (std::int64_t h = 0; h < weights.size(1); ++h)
      for (std::int64_t i = 0; i < weights.size(2); ++i)
        for (std::int64_t j = 0; j < weights.size(3); ++j) {
          const Number& w = weights.at(b, h, i, j);
          Number& to = mean.at(b, 0, i, j);
          to.value += w.value / heads;
          to.error += (w.error + p.sums * p.eps * w.value) / heads;
        }
  return mean.data();
}

std::vector<Number> column_sums(const Numbers& weights, const Precision& p) {
  Numbers sums(weights.size(0), weights.size(1), 1, weights.size(3));
  for (std::int64_t b = 0; b < weights.size(0); ++b)
    for (std::int64_t h = 0; h < weights.size(1); ++h)
      for (std::int64_t i = 0; i < weights.size(2); ++i)
        for (std::int64_t j = 0; j < weights.size(3); ++j) {
          const Number& w = weights.at(b, h, i, j);
          Number& to = sums.at(b, h, 0, j);
          to.value += w.value;
          to.error += w.error + 2 * p.sums * p.eps * w.value;
        }
  return sums.data();
}

// [B][H][L][size] as tokens [B][1][L][H · size].
Numbers merge_heads(const Numbers& heads) {
  const std::int64_t size = heads.size(3);
  Numbers tokens(heads.size(0), 1, heads.size(2), heads.size(1) * size);
  for (std::int64_t b = 0; b < heads.size(0); ++b)
    for (std::int64_t h = 0; h < heads.size(1); ++h)
      for (std::int64_t i = 0; i < heads.size(2); ++i)
        for (std::int64_t c = 0; c < size; ++c) tokens.at(b, 0, i, h * size + c) = heads.at(b, h, i, c);
  return tokens;
}

void clear_dead_rows(const Call& call, Numbers& rows) {
  for (std::int64_t b = 0; b < rows.size(0); ++b)
    for (std::int64_t h = 0; h < rows.size(1); ++h)
      for (std::int64_t i = live_queries(call, b); i < rows.size(2); ++i)
        for (std::int64_t c = 0; c < rows.size(3); ++c) rows.at(b, h, i, c) = {};
}

// In the order of `output`: sequences one after the other when ragged, heads outside of them.
std::vector<Number> in_output_order(const Call& call, const Numbers& rows) {
  if (!call.ragged) return rows.data();
  std::vector<Number> all;
  for (std::int64_t h = 0; h < rows.size(1); ++h)
    for (std::int64_t b = 0; b < rows.size(0); ++b)
      for (std::int64_t i = 0; i < sequence(call, b).queries; ++i)
        for (std::int64_t c = 0; c < rows.size(3); ++c) all.push_back(rows.at(b, h, i, c));
  return all;
}

std::vector<Number> output(const Layer& layer, const Call& call, const Numbers& context, const Precision& p) {
  if (!layer.projected) return in_output_order(call, context);
  const AttentionWeights& w = layer.weights;
  Numbers rows = project(merge_heads(context), w.output_weight, w.output_bias, 1, p);
  clear_dead_rows(call, rows);
  return in_output_order(call, rows);
}

// The columns of the output weight that head h meets.
Tensor columns_of(const Tensor& weight, std::int64_t h, std::int64_t size) {
  Tensor part({weight.shape()[0], size});
  for (std::int64_t o = 0; o < weight.shape()[0]; ++o) {
    std::copy_n(weight.data() + o * weight.shape()[1] + h * size, size, part.data() + o * size);
  }
  return part;
}

// Head `from` of one grid becomes head `to` of another.
void copy_head(const Numbers& source, std::int64_t from, Numbers& target, std::int64_t to) {
  for (std::int64_t b = 0; b < source.size(0); ++b)
    for (std::int64_t i = 0; i < source.size(2); ++i) {
      std::copy_n(source.row(b, from, i), source.size(3), target.row(b, to, i));
    }
}

// The context of each head times its columns.
std::vector<Number> contribution(const Layer& layer, const Numbers& context, const Precision& p) {
  const AttentionConfig& c = layer.config;
  Numbers all(context.size(0), context.size(1), context.size(2), c.output_dim);
  Numbers one(context.size(0), 1, context.size(2), c.value_dim);
  for (std::int64_t h = 0; h < c.num_heads; ++h) {
    copy_head(context, h, one, 0);
    copy_head(project(one, columns_of(layer.weights.output_weight, h, c.value_dim), {}, 1, p), 0, all, h);
  }
  return all.data();
}

}  // namespace

Expected evaluate(const Layer& layer, const Call& call, Float64Cache* cache, const Precision& p) {
  Expected expected{attend(layer, call, make_operands(layer, call, cache, p), p), {}};
  const Attended& a = expected.attended;
  const AttentionOutputs& out = call.outputs;
  auto& all = expected.outputs;
  all["output"] = output(layer, call, a.context, p);
  if (out.attention.given) all["attention"] = select(call, a.weights);
  if (out.scores.given) all["scores"] = select(call, a.scores);
  if (out.average_attention.given) all["average_attention"] = average(a.weights, p);
  if (out.log_sum_exp.given) all["log_sum_exp"] = a.log_sum_exp.data();
  if (out.column_sums.given) all["column_sums"] = column_sums(a.weights, p);
  if (out.head_context.given) all["head_context"] = a.context.data();
  if (out.head_contribution.given) all["head_contribution"] = contribution(layer, a.context, p);
  return expected;
}

}  // namespace differential
