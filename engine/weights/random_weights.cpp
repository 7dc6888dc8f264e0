#include <cmath>

#include "float_mode.hpp"
#include "headwise/weights.hpp"
#include "out_of_memory.hpp"

namespace headwise {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014). The standard library's distributions differ between implementations.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  // Uniform in [−1, 1): exact in double and float, so no rounding differs between machines.
  double next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return static_cast<double>(mixed >> 40) * 0x1p-23 - 1.0;
  }

 private:
  std::uint64_t state_;
};

Tensor draw(Generator& generator, const Dims& shape, std::int64_t inputs) {
  Tensor tensor(shape);
  const double bound = 1.0 / std::sqrt(static_cast<double>(inputs));
  float* values = tensor.data();
  for (std::int64_t i = 0; i < tensor.size(); ++i) values[i] = static_cast<float>(bound * generator.next());
  return tensor;
}

}  // namespace

AttentionWeights random_weights(const AttentionConfig& config, std::uint64_t seed) try {
  const FloatMode mode;
  AttentionWeights weights;
  weights.config = resolve(config);
  const AttentionConfig& c = weights.config;
  Generator generator(seed);
  const auto linear = [&](Tensor& weight, Tensor& bias, std::int64_t rows, std::int64_t inputs) {
    weight = draw(generator, {rows, inputs}, inputs);
    bias = draw(generator, {rows}, inputs);
  };
  linear(weights.query_weight, weights.query_bias, c.num_heads * c.head_dim, c.model_dim);
  linear(weights.key_weight, weights.key_bias, c.num_kv_heads * c.head_dim, c.key_input_dim);
  linear(weights.value_weight, weights.value_bias, c.num_kv_heads * c.value_dim, c.value_input_dim);
  linear(weights.output_weight, weights.output_bias, c.output_dim, c.num_heads * c.value_dim);
  return weights;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a layer");
}

}  // namespace headwise
