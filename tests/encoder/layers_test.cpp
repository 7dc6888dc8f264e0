// Encoder::attention: a layer's attention alone.
#include <doctest/doctest.h>

#include <cmath>
#include <optional>

#include "models.hpp"

using namespace headwise;

TEST_CASE("layers: attention of a layer on its hidden states gives the weights of the encoder, and its heads add up") {
  const ModelFolder folder;
  const Encoder encoder = Encoder::load(folder.write(), {.head_contribution = true});
  const Tokens tokens({37}, 50);
  EncoderResults results = run(encoder, tokens);
  const std::int64_t n = 37, d = 64, heads = 4;
  for (std::int64_t l = 0; l < 3; ++l) {
    const TensorView x(results.states.data() + l * n * d, DType::f32, {n, d});
    Tensor output({n, d}), weights({heads, n, n}), parts({heads, n, d});
    AttentionOutputs outputs;
    outputs.output = output.mutable_view();
    outputs.attention = weights.mutable_view();
    outputs.head_contribution = parts.mutable_view();
    Session(encoder.attention(l)).run({.query = x, .key = x, .value = x}, outputs);
    const float* wanted = results.attention.data() + l * weights.size();
    CHECK(std::memcmp(weights.data(), wanted, sizeof(float) * std::size_t(weights.size())) == 0);
    const float* bias = folder.tensors[0].tensor.data();
    for (const NamedTensor& named : folder.tensors) {
      if (named.name == "encoder.layer." + std::to_string(l) + ".attention.output.dense.bias")
        bias = named.tensor.data();
    }
    double largest = 0;
    for (std::int64_t i = 0; i < n * d; ++i) {
      double sum = bias[i % d];
      for (std::int64_t h = 0; h < heads; ++h) sum += parts.data()[h * n * d + i];
      largest = std::max(largest, std::abs(sum - output.data()[i]));
    }
    CHECK(largest < 1e-5);
  }
}

TEST_CASE("layers: copies of an encoder share it, and sessions outlive it") {
  const ModelFolder folder;
  const Tokens tokens({5, 3}, 50);
  std::optional<Encoder> encoder = folder.load();
  const Encoder copy = *encoder;
  CHECK(&copy.model() == &encoder->model());
  const EncoderResults wanted = run(copy, tokens);
  EncoderSession session(*encoder), other(*encoder);
  encoder.reset();
  EncoderResults results(copy.config(), tokens);
  other = std::move(session);
  EncoderSession moved(std::move(other));
  moved.run(tokens.inputs(), results.outputs());
  CHECK(equal_bits(results, wanted));
}
