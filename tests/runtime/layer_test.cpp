// Whole layers with their projections, of every shape that a config allows, against float64.
#include <doctest/doctest.h>

#include "float64_attention.hpp"
#include "isas.hpp"
#include "layer_float64.hpp"

using namespace headwise;

namespace {

struct LayerShape {
  const char* what;
  AttentionConfig config;
  std::int64_t batch, queries, keys;
};

AttentionConfig layer(std::int64_t model_dim, std::int64_t heads, std::int64_t kv_heads = 0, std::int64_t head_dim = 0,
                      std::int64_t value_dim = 0) {
  AttentionConfig config;
  config.model_dim = model_dim;
  config.num_heads = heads;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  config.value_dim = value_dim;
  return config;
}

AttentionConfig with_widths(AttentionConfig config, std::int64_t key, std::int64_t value, std::int64_t output) {
  config.key_input_dim = key;
  config.value_input_dim = value;
  config.output_dim = output;
  return config;
}

AttentionConfig with_scale(AttentionConfig config, float scale) {
  config.scale = scale;
  return config;
}

std::vector<LayerShape> layer_shapes() {
  return {{"the base case", layer(64, 8), 2, 10, 10},
          {"other lengths of queries and keys", layer(32, 4), 2, 7, 19},
          {"one query", layer(32, 4), 3, 1, 40},
          {"d and dv apart, H·d not D", layer(24, 3, 3, 10, 6), 2, 9, 9},
          {"widths of their own", with_widths(layer(20, 2, 2, 8, 12), 9, 13, 31), 2, 5, 6},
          {"one key/value head", layer(48, 6, 1), 2, 11, 11},
          {"grouped heads, all sizes apart", with_widths(layer(40, 4, 2, 12, 5), 17, 8, 3), 2, 6, 13},
          {"a scale of its own", with_scale(layer(32, 2), 0.4F), 1, 8, 8},
          {"a negative scale", with_scale(layer(32, 2), -0.25F), 1, 8, 8},
          {"rows of 2 KiB", layer(512, 8), 1, 3, 3},
          {"one feature a head", layer(4, 4), 2, 3, 5},
          {"several chunks and blocks", layer(32, 2), 1, 270, 210}};
}

// A layer of several chunks costs float64 time; it runs where that is asked for.
void check_layer(const AttentionWeights& weights, const AttentionInputs& inputs, const std::string& isa,
                 const ModelOptions& options = {}) {
  const MultiHeadAttention model(weights, {isa, options.self_attention_only});
  const LayerFloat64 expected = layer_float64(weights, inputs);
  for (const SessionOptions& session : {SessionOptions{1, Schedule::automatic}, SessionOptions{2, Schedule::deep}}) {
    const Results results = run(model, inputs, {true, true}, session);
    CHECK(expected.output_error(results.output) <= layer_bound);
    CHECK(expected.weights_error(results.attention) <= layer_bound);
    CHECK(expected.average_error(results.average) <= layer_bound);
  }
}

}  // namespace

TEST_CASE("layers: self- and cross-attention of every shape") {
  Random random(3);
  for (const LayerShape& shape : layer_shapes()) {
    const AttentionWeights weights = random_weights(shape.config, 5);
    const AttentionConfig config = resolve(shape.config);
    const Tensor query = random_tensor(random, {shape.batch, shape.queries, config.model_dim});
    const Tensor key = random_tensor(random, {shape.batch, shape.keys, config.key_input_dim});
    const Tensor value = random_tensor(random, {shape.batch, shape.keys, config.value_input_dim});
    for (const std::string& isa : running_isas()) {
      CAPTURE(isa);
      CAPTURE(shape.what);
      check_layer(weights, inputs_of(query, key, value), isa);
      const bool one_width = config.model_dim == config.key_input_dim && config.model_dim == config.value_input_dim;
      if (one_width) check_layer(weights, inputs_of(query, query, query), isa);
    }
  }
}

TEST_CASE("layers: each bias alone, none, and all") {
  Random random(4);
  const Tensor x = random_tensor(random, {2, 6, 24}), y = random_tensor(random, {2, 9, 24});
  for (unsigned given = 0; given < 16; ++given) {
    CAPTURE(given);
    AttentionWeights weights = random_weights(layer(24, 3), 6);
    Tensor* biases[] = {&weights.query_bias, &weights.key_bias, &weights.value_bias, &weights.output_bias};
    for (unsigned b = 0; b < 4; ++b) {
      if ((given >> b & 1U) == 0) *biases[b] = {};
    }
    check_layer(weights, inputs_of(x, x, x), "");
    check_layer(weights, inputs_of(x, y, y), "");
  }
}

TEST_CASE("layers: masks reach the heads of a layer") {
  Random random(5);
  const Tensor x = random_tensor(random, {2, 12, 32}), bias = random_tensor(random, {4, 12, 12});
  Tensor lengths(DType::i64, {2}), padding(DType::boolean, {2, 12});
  lengths.data<std::int64_t>()[0] = 9;
  lengths.data<std::int64_t>()[1] = 12;
  padding.data<bool>()[12] = padding.data<bool>()[13] = true;
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.attention_mask = bias.view();
  inputs.key_lengths = lengths.view();
  inputs.key_padding_mask = padding.view();
  inputs.key_padding_meaning = BooleanMask::drop;
  inputs.causal = true;
  for (const std::string& isa : running_isas()) {
    for (const RowsWithoutKeys policy : {RowsWithoutKeys::zero, RowsWithoutKeys::mean}) {
      CAPTURE(isa);
      AttentionConfig config = layer(32, 4);
      config.rows_without_keys = policy;
      check_layer(random_weights(config, 7), inputs, isa);
    }
  }
}

TEST_CASE("layers: unbatched inputs are a batch of one") {
  Random random(6);
  const Tensor x = random_tensor(random, {1, 12, 32}), y = random_tensor(random, {1, 20, 32});
  const auto unbatched = [](const Tensor& t) { return TensorView(t.data(), DType::f32, {t.shape()[1], 32}); };
  const MultiHeadAttention model(random_weights(layer(32, 4), 8));
  for (const Tensor* key : {&x, &y}) {
    const Results expected = run(model, inputs_of(x, *key, *key), {true, true});
    const Results results = run(model, inputs_of(unbatched(x), unbatched(*key), unbatched(*key)), {true, true});
    CHECK(results.output.shape() == Dims{12, 32});
    CHECK(std::memcmp(results.output.data(), expected.output.data(), 12 * 32 * 4) == 0);
    CHECK(same_bits(results.attention, expected.attention));
    CHECK(same_bits(results.average, expected.average));
    Results low = make_results(model, inputs_of(unbatched(x), *key, *key));  // unbatched weights, a batched key
    Tensor attention({4, 12, key->shape()[1]}), average({12, key->shape()[1]});
    Session(model, {1, Schedule::automatic})
        .run(inputs_of(unbatched(x), *key, *key),
             {low.output.mutable_view(), attention.mutable_view(), average.mutable_view()});
    CHECK(std::memcmp(attention.data(), expected.attention.data(), std::size_t(attention.size()) * 4) == 0);
    CHECK(std::memcmp(average.data(), expected.average.data(), std::size_t(average.size()) * 4) == 0);
  }
}

TEST_CASE("layers: a model for self-attention alone gives the same results") {
  Random random(7);
  const Tensor x = random_tensor(random, {2, 15, 48});
  const AttentionWeights weights = random_weights(layer(48, 6, 2, 10, 4), 9);
  const AttentionInputs inputs = inputs_of(x, x, x);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    check_layer(weights, inputs, isa, {"", true});
    const MultiHeadAttention whole(weights, {isa, false}), fused(weights, {isa, true});
    CHECK(same_bits(run(fused, inputs).output, run(whole, inputs).output));
  }
}

TEST_CASE("layers: copies of a model share it and outlive it") {
  Random random(8);
  const Tensor x = random_tensor(random, {1, 5, 32});
  auto first = std::make_unique<MultiHeadAttention>(random_weights(layer(32, 4), 10));
  const Results expected = run(*first, inputs_of(x, x, x));
  Session session(*first, {1, Schedule::automatic});
  const MultiHeadAttention copy = *first;
  first.reset();
  Session moved = std::move(session);
  Results results = make_results(copy, inputs_of(x, x, x));
  moved.run(inputs_of(x, x, x), results.outputs());
  CHECK(same_bits(results.output, expected.output));
}
