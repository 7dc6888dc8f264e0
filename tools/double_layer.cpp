#include "double_layer.hpp"

#include <algorithm>
#include <cmath>

namespace headwise::tools {
namespace {

// y = x·Wᵀ + b for one row.
void project_row(const float* x, const Tensor& weight, const Tensor& bias, float* y) {
  const std::int64_t out = weight.shape()[0], in = weight.shape()[1];
  const float* w = weight.data();
  for (std::int64_t o = 0; o < out; ++o, w += in) {
    double sum = bias.given() ? static_cast<double>(bias.data()[o]) : 0.0;
    for (std::int64_t i = 0; i < in; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(x[i]);
    y[o] = static_cast<float>(sum);
  }
}

// Every tensor that comes here was read from a file or made here, so rows are contiguous.
Tensor project(const TensorView& input, const Tensor& weight, const Tensor& bias) {
  const Dims& shape = input.shape;
  const std::int64_t in = shape[shape.rank() - 1], length = shape[shape.rank() - 2];
  const std::int64_t batch = shape.rank() == 3 ? shape[0] : 1, out = weight.shape()[0];
  Tensor result({batch, length, out});
  for (std::int64_t row = 0; row < batch * length; ++row) {
    project_row(static_cast<const float*>(input.data) + row * in, weight, bias, result.data() + row * out);
  }
  return result;
}

double dot_of_magnitudes(const float* a, const float* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::fabs(static_cast<double>(a[i]) * static_cast<double>(b[i]));
  return sum;
}

// One row of Σp|v|: weights of Lk keys, values with a stride between keys.
void add_value_mass(const float* weights, std::int64_t keys, const float* values, std::int64_t stride,
                    std::int64_t size, double* mass) {
  for (std::int64_t k = 0; k < keys; ++k, values += stride) {
    if (weights[k] == 0) continue;
    for (std::int64_t j = 0; j < size; ++j) {
      mass[j] += static_cast<double>(weights[k]) * std::fabs(static_cast<double>(values[j]));
    }
  }
}

// splitmix64 (Steele, Lea and Flood 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

ProjectedInputs project_inputs(const AttentionInputs& inputs, const AttentionWeights& weights) {
  return {project(inputs.query, weights.query_weight, weights.query_bias),
          project(inputs.key, weights.key_weight, weights.key_bias),
          project(inputs.value, weights.value_weight, weights.value_bias)};
}

TensorView split_heads(const Tensor& projected, std::int64_t heads) {
  const std::int64_t batch = projected.shape()[0], length = projected.shape()[1], width = projected.shape()[2];
  const std::int64_t size = width / heads;
  return TensorView(projected.view().data, DType::f32, {batch, heads, length, size}, {length * width, size, width, 1});
}

std::vector<double> value_mass(const Tensor& attention, const Tensor& value, const AttentionConfig& config) {
  const std::int64_t batch = attention.shape()[0], heads = attention.shape()[1];
  const std::int64_t queries = attention.shape()[2], keys = attention.shape()[3];
  const std::int64_t size = config.value_dim, width = value.shape()[2], group = heads / config.num_kv_heads;
  std::vector<double> mass(static_cast<std::size_t>(batch * heads * queries * size));
  for (std::int64_t row = 0; row < batch * heads * queries; ++row) {
    const std::int64_t head = row / queries % heads, b = row / queries / heads;
    const float* values = value.data() + b * keys * width + head / group * size;
    add_value_mass(attention.data() + row * keys, keys, values, width, size, mass.data() + row * size);
  }
  return mass;
}

std::vector<double> output_mass(const std::vector<double>& value_mass, const AttentionWeights& weights,
                                const AttentionConfig& config, const CallShape& call) {
  const std::int64_t heads = config.num_heads, size = config.value_dim, out = config.output_dim;
  std::vector<double> mass;
  for (std::int64_t row = 0; row < call.batch * call.query_length; ++row) {
    const std::int64_t b = row / call.query_length, i = row % call.query_length;
    for (std::int64_t o = 0; o < out; ++o) {
      const float* w = weights.output_weight.data() + o * heads * size;
      double sum = weights.output_bias.given() ? std::fabs(static_cast<double>(weights.output_bias.data()[o])) : 0.0;
      for (std::int64_t c = 0; c < heads * size; ++c) {
        const std::int64_t context_row = (b * heads + c / size) * call.query_length + i;
        sum +=
            std::fabs(static_cast<double>(w[c])) * value_mass[static_cast<std::size_t>(context_row * size + c % size)];
      }
      mass.push_back(sum);
    }
  }
  return mass;
}

double score_mass(const ProjectedInputs& projected, const Tensor& attention, const AttentionConfig& config) {
  const std::int64_t heads = attention.shape()[1], queries = attention.shape()[2], keys = attention.shape()[3];
  const std::int64_t size = config.head_dim, group = heads / config.num_kv_heads, width = config.num_kv_heads * size;
  double largest = 0;
  for (std::int64_t row = 0; row < attention.shape()[0] * heads * queries; ++row) {
    const std::int64_t i = row % queries, head = row / queries % heads, b = row / queries / heads;
    const float* query = projected.query.data() + ((b * queries + i) * heads + head) * size;
    const float* key = projected.key.data() + b * keys * width + head / group * size;
    for (std::int64_t k = 0; k < keys; ++k) {
      if (!(attention.data()[row * keys + k] > 0)) continue;
      const double mass = dot_of_magnitudes(query, key + k * width, size);
      if (std::isfinite(mass)) largest = std::max(largest, mass);
    }
  }
  return largest * std::fabs(static_cast<double>(*config.scale));
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
