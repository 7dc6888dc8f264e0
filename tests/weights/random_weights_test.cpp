#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "headwise/weights.hpp"
#include "same_weights.hpp"

using namespace headwise;

namespace {

AttentionConfig uneven() {
  AttentionConfig config;
  config.model_dim = 16;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 3;
  config.value_dim = 5;
  config.key_input_dim = 7;
  config.value_input_dim = 9;
  config.output_dim = 11;
  return config;
}

}  // namespace

TEST_CASE("random weights have the shapes of the config") {
  const AttentionWeights weights = random_weights(uneven(), 1);
  CHECK(weights.query_weight.shape() == Dims{12, 16});
  CHECK(weights.key_weight.shape() == Dims{6, 7});
  CHECK(weights.value_weight.shape() == Dims{10, 9});
  CHECK(weights.output_weight.shape() == Dims{11, 20});
  CHECK(weights.query_bias.shape() == Dims{12});
  CHECK(weights.key_bias.shape() == Dims{6});
  CHECK(weights.value_bias.shape() == Dims{10});
  CHECK(weights.output_bias.shape() == Dims{11});
}

TEST_CASE("what else a config says changes no number and fills no optional part") {
  AttentionConfig config = uneven();
  config.softcap = 30;
  config.add_zero_attention = true;
  config.rotary.dim = 2;
  config.position_bias.kind = PositionBias::alibi;
  const AttentionWeights weights = random_weights(config, 1);
  check_same(weights, random_weights(uneven(), 1));
  CHECK(weights.config.softcap == 30);
  CHECK(weights.config.rotary.dim == 2);
  CHECK(!weights.alibi_slopes.given());
}

TEST_CASE("the same seed gives the same numbers on every machine") {
  AttentionConfig config;
  config.model_dim = 64;
  config.num_heads = 8;
  const AttentionWeights weights = random_weights(config, 0);
  // SplitMix64 of seed 0 starts with e220a8397b1dcdaf, 6e789e6aa1b965f4; their upper 24 bits give these.
  CHECK(weights.query_weight.data()[0] == static_cast<float>((0xe220a8 * 0x1p-23 - 1.0) / 8));
  CHECK(weights.query_weight.data()[1] == static_cast<float>((0x6e789e * 0x1p-23 - 1.0) / 8));
  const AttentionWeights again = random_weights(config, 0), other = random_weights(config, 1);
  CHECK(std::memcmp(again.output_bias.data(), weights.output_bias.data(), 64 * sizeof(float)) == 0);
  CHECK(std::memcmp(other.output_bias.data(), weights.output_bias.data(), 64 * sizeof(float)) != 0);
}

TEST_CASE("random weights fill (−1/√in, 1/√in) evenly") {
  AttentionConfig config;
  config.model_dim = 256;
  config.num_heads = 4;
  const Tensor weight = random_weights(config, 3).value_weight;
  double sum = 0, squares = 0, largest = 0;
  for (std::int64_t i = 0; i < weight.size(); ++i) {
    const double value = weight.data()[i] * 16.0;
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  const auto count = static_cast<double>(weight.size());
  CHECK(std::abs(sum / count) < 0.01);
  CHECK(std::abs(squares / count - 1.0 / 3) < 0.01);
  CHECK(largest <= 1.0);
  CHECK(largest > 0.999);
}
