// A whole layer in float64.
#pragma once

#include "calls.hpp"
#include "float64_attention.hpp"

// Errors of a layer are counted in eps times Σ|context·W| + |bias|, with |context| taken as Σp|v|: what float64 itself
// says could cancel. The bound is the core's; measured below 3.
inline constexpr double layer_bound = 8;

// [B, L, out] of a projection and, as its unit, Σ|x·w| + |b|.
struct Projected {
  std::int64_t length = 0, width = 0;
  std::vector<double> values, units;
  double at(std::int64_t b, std::int64_t i, std::int64_t column) const {
    return values[std::size_t((b * length + i) * width + column)];
  }
};

// `unit` gives the size of an input element where it is not its absolute value.
using Element3 = std::function<double(std::int64_t, std::int64_t, std::int64_t)>;
inline Projected project_float64(const Element3& x, const Element3& unit, std::int64_t batch, std::int64_t length,
                                 const headwise::Tensor& weight, const headwise::Tensor& bias) {
  Projected result{length, weight.shape()[0], {}, {}};
  const std::int64_t in = weight.shape()[1];
  for (std::int64_t row = 0; row < batch * length; ++row) {
    for (std::int64_t o = 0; o < result.width; ++o) {
      double sum = bias.given() ? double(bias.data()[o]) : 0, size = std::fabs(sum);
      for (std::int64_t c = 0; c < in; ++c) {
        const auto w = double(weight.data()[o * in + c]);
        sum += x(row / length, row % length, c) * w;
        size += unit(row / length, row % length, c) * std::fabs(w);
      }
      result.values.push_back(sum);
      result.units.push_back(size);
    }
  }
  return result;
}

inline Projected project_float64(const headwise::TensorView& x, const headwise::Tensor& weight,
                                 const headwise::Tensor& bias) {
  const Element3 read = [&](auto b, auto i, auto c) { return element(x, {b, i, c}); };
  const Element3 size = [&](auto b, auto i, auto c) { return std::fabs(element(x, {b, i, c})); };
  return project_float64(read, size, x.shape[0], x.shape[1], weight, bias);
}

struct LayerFloat64 {
  headwise::AttentionConfig config;
  std::int64_t batch = 0;
  Projected output;
  std::vector<double> weights, average;

  static double largest(const headwise::Tensor& actual, const std::vector<double>& expected,
                        const std::vector<double>* units) {
    UnitError error;
    const bool fits = actual.size() == static_cast<std::int64_t>(expected.size());
    for (std::size_t i = 0; fits && i < expected.size(); ++i) {
      add_error(error, double(actual.data()[i]), expected[i], units != nullptr ? (*units)[i] : 1);
    }
    return fits ? error.max : std::numeric_limits<double>::infinity();
  }
  double output_error(const headwise::Tensor& actual) const { return largest(actual, output.values, &output.units); }
  double weights_error(const headwise::Tensor& actual) const { return largest(actual, weights, nullptr); }
  double average_error(const headwise::Tensor& actual) const { return largest(actual, average, nullptr); }
};

inline Float64Results heads_float64(const headwise::AttentionWeights& w, const headwise::AttentionInputs& in,
                                    const headwise::AttentionConfig& config) {
  const Projected q = project_float64(in.query, w.query_weight, w.query_bias);
  const Projected k = project_float64(in.key, w.key_weight, w.key_bias);
  const Projected v = project_float64(in.value, w.value_weight, w.value_bias);
  const auto head = [](const Projected& p, std::int64_t size) {
    return [&p, size](auto b, auto h, auto i, auto c) { return p.at(b, i, h * size + c); };
  };
  return attend_float64({config, in.query.shape[0], in.query.shape[1], in.key.shape[1], head(q, config.head_dim),
                         head(k, config.head_dim), head(v, config.value_dim)},
                        in);
}

// Batched inputs.
inline LayerFloat64 layer_float64(const headwise::AttentionWeights& w, const headwise::AttentionInputs& in) {
  const headwise::AttentionConfig c = headwise::resolve(w.config);
  const Float64Results heads = heads_float64(w, in, c);
  const std::int64_t batch = in.query.shape[0], queries = in.query.shape[1];
  const auto context = [&](const std::vector<double>& values) -> Element3 {
    return [&, queries](auto b, auto i, auto column) {
      const std::int64_t h = column / c.value_dim;
      return values[std::size_t(((b * c.num_heads + h) * queries + i) * c.value_dim + column % c.value_dim)];
    };
  };
  LayerFloat64 result{c, batch, {}, heads.weights, average_over_heads(heads.weights, batch, c.num_heads)};
  result.output =
      project_float64(context(heads.output), context(heads.unit), batch, queries, w.output_weight, w.output_bias);
  return result;
}
