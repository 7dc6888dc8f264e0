// C17: subnormal numbers in weights, inputs and weights of keys. That they cost no more time is measured, see
// DESIGN.md; here the results are held, on every ISA.
#include <doctest/doctest.h>

#include <cmath>

#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

constexpr double bound = 1e-37;  // absolute
constexpr float tiny = 1e-39F;   // subnormal

AttentionWeights scaled_layer(float scale) {
  AttentionWeights weights = random_weights({.model_dim = 64, .num_heads = 4}, 1);
  for (Tensor* tensor : {&weights.query_weight, &weights.key_weight, &weights.value_weight, &weights.output_weight,
                         &weights.query_bias, &weights.key_bias, &weights.value_bias, &weights.output_bias}) {
    for (std::int64_t n = 0; n < tensor->size(); ++n) tensor->data()[n] *= scale;
  }
  return weights;
}

double largest(const Tensor& tensor) {
  double most = 0;
  for (std::int64_t n = 0; n < tensor.size(); ++n) most = std::max(most, std::fabs(double(tensor.data()[n])));
  return most;
}

}  // namespace

TEST_CASE("C17: a layer of subnormal weights, of subnormal inputs, and of both") {
  Random random(1);
  const Tensor x = random_tensor(random, {1, 64, 64}), small = random_tensor(random, {1, 64, 64}, tiny);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention plain(scaled_layer(1), {isa}), subnormal(scaled_layer(tiny), {isa});
    // Sums of 64 products with factors up to 1e-39, and biases as small, lie far below the bound.
    CHECK(largest(run(subnormal, inputs_of(x, x, x)).output) <= bound);
    CHECK(largest(run(subnormal, inputs_of(small, small, small)).output) <= bound);
    // Inputs this small change nothing beside those of zero: what is left comes from the biases.
    const Tensor zero({1, 64, 64});
    const Results expected = run(plain, inputs_of(zero, zero, zero));
    const Results actual = run(plain, inputs_of(small, small, small));
    for (std::int64_t n = 0; n < actual.output.size(); ++n) {
      CHECK(std::fabs(double(actual.output.data()[n]) - double(expected.output.data()[n])) <= bound);
    }
  }
}

TEST_CASE("C17: weights of keys that lie 80 to 110 below the maximum") {
  for (const std::string& isa : running_isas()) {
    for (const float below : {80.0F, 87.0F, 88.0F, 90.0F, 95.0F, 103.0F, 110.0F}) {
      CAPTURE(isa);
      CAPTURE(below);
      const Tensor query = filled({1, 1, 64, 1}, 1), value = filled({1, 1, 64, 1}, 1);
      Tensor key = filled({1, 1, 64, 1}, -below);
      key.data()[7] = 0;
      const AttentionInputs inputs = inputs_of(query, key, value);
      const Results results = run(heads_model(inputs, isa, 1.0F), inputs, {true, false});
      const double expected = std::exp(-double(below)) / (1 + 63 * std::exp(-double(below)));
      for (std::int64_t n = 0; n < results.attention.size(); ++n) {
        if (n % 64 == 7) continue;
        CHECK(std::fabs(double(results.attention.data()[n]) - expected) <= std::max(bound, 1e-6 * expected));
      }
    }
  }
}
