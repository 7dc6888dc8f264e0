#include "double_layer.hpp"

#include <cmath>

namespace headwise::tools {
namespace {

struct Sum {
  double value = 0, mass = 0;
  void add(double a, double b, double mass_of_b) {
    value += a * b;
    mass += std::fabs(a) * mass_of_b;
  }
};

Sum start(const Tensor& bias, std::int64_t o) {
  if (!bias.given()) return {};
  const double value = static_cast<double>(bias.data()[o]);
  return {value, std::fabs(value)};
}

// Every tensor that comes here was read from a file or made here, so rows are contiguous.
HeadRows project(const TensorView& input, const Tensor& weight, const Tensor& bias, std::int64_t heads) {
  const int rank = input.shape.rank();
  const std::int64_t in = input.shape[rank - 1], length = input.shape[rank - 2];
  HeadRows rows(rank == 3 ? input.shape[0] : 1, heads, length, weight.shape()[0] / heads);
  const auto* x = static_cast<const float*>(input.data);
  for (std::int64_t row = 0; row < rows.batch * length; ++row, x += in) {
    for (std::int64_t o = 0; o < heads * rows.size; ++o) {
      Sum sum = start(bias, o);
      const float* w = weight.data() + o * in;
      for (std::int64_t i = 0; i < in; ++i) {
        const double value = static_cast<double>(x[i]);
        sum.add(static_cast<double>(w[i]), value, std::fabs(value));
      }
      const std::size_t at =
          rows.at(row / length, o / rows.size, row % length) + static_cast<std::size_t>(o % rows.size);
      rows.value[at] = sum.value;
      rows.mass[at] = sum.mass;
    }
  }
  return rows;
}

HeadRows rounded(HeadRows rows) {
  for (std::size_t i = 0; i < rows.value.size(); ++i) {
    rows.value[i] = static_cast<double>(static_cast<float>(rows.value[i]));
    rows.mass[i] = std::fabs(rows.value[i]);
  }
  return rows;
}

Sum output_element(const HeadRows& context, const AttentionWeights& weights, std::int64_t row, std::int64_t o) {
  const std::int64_t b = row / context.length, i = row % context.length, width = context.heads * context.size;
  Sum sum = start(weights.output_bias, o);
  const float* w = weights.output_weight.data() + o * width;
  for (std::int64_t c = 0; c < width; ++c) {
    const std::size_t at = context.at(b, c / context.size, i) + static_cast<std::size_t>(c % context.size);
    sum.add(static_cast<double>(w[c]), context.value[at], context.mass[at]);
  }
  return sum;
}

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

HeadRows::HeadRows(std::int64_t batch_, std::int64_t heads_, std::int64_t length_, std::int64_t size_)
    : batch(batch_), heads(heads_), length(length_), size(size_) {
  value.resize(static_cast<std::size_t>(element_count({batch, heads, length, size})));
  mass.resize(value.size());
}

DoubleInputs project_inputs(const AttentionInputs& inputs, const AttentionWeights& weights) {
  const AttentionConfig config = resolve(weights.config);
  return {project(inputs.query, weights.query_weight, weights.query_bias, config.num_heads),
          project(inputs.key, weights.key_weight, weights.key_bias, config.num_kv_heads),
          project(inputs.value, weights.value_weight, weights.value_bias, config.num_kv_heads)};
}

DoubleInputs rounded(const DoubleInputs& exact) {
  return {rounded(exact.query), rounded(exact.key), rounded(exact.value)};
}

Tensor to_tensor(const HeadRows& rows) {
  Tensor tensor({rows.batch, rows.heads, rows.length, rows.size});
  for (std::size_t i = 0; i < rows.value.size(); ++i) tensor.data()[i] = static_cast<float>(rows.value[i]);
  return tensor;
}

HeadRows project_output(const HeadRows& context, const AttentionWeights& weights, const AttentionInputs& inputs) {
  const std::int64_t width = weights.output_weight.shape()[0];
  HeadRows output(context.batch, 1, context.length, width);
  const Tensor lengths = inputs.query_lengths.given ? convert(inputs.query_lengths, DType::i64) : Tensor();
  for (std::int64_t row = 0; row < context.batch * context.length; ++row) {
    const std::int64_t b = row / context.length, i = row % context.length;
    if (lengths.given() && i >= lengths.data<std::int64_t>()[b]) continue;
    for (std::int64_t o = 0; o < width; ++o) {
      const Sum sum = output_element(context, weights, row, o);
      output.value[output.at(b, 0, i) + static_cast<std::size_t>(o)] = sum.value;
      output.mass[output.at(b, 0, i) + static_cast<std::size_t>(o)] = sum.mass;
    }
  }
  return output;
}

Tensor random_tensor(const Dims& shape, std::uint64_t seed) {
  Tensor tensor(shape);
  std::uint64_t state = seed;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double unit = static_cast<double>(next_random(state) >> 11) * 0x1p-53;
    tensor.data()[i] = static_cast<float>((2 * unit - 1) * std::sqrt(3.0));
  }
  return tensor;
}

}  // namespace headwise::tools
