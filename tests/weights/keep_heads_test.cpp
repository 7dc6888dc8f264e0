#include <doctest/doctest.h>

#include <limits>

#include "expect_error.hpp"
#include "headwise/weights.hpp"
#include "same_weights.hpp"

using namespace headwise;

namespace {

using Heads = std::vector<std::int64_t>;

Tensor counted(const Dims& shape, float start) {
  Tensor tensor(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = start + static_cast<float>(i);
  return tensor;
}

// 6 query heads that share 3 key/value heads, all sizes different, every optional part given.
AttentionWeights full_layer() {
  AttentionConfig config;
  config.model_dim = 10;
  config.num_heads = 6;
  config.num_kv_heads = 3;
  config.head_dim = 4;
  config.value_dim = 5;
  config.key_input_dim = 7;
  config.value_input_dim = 8;
  config.output_dim = 9;
  AttentionWeights layer = random_weights(config, 21);
  layer.query_norm = counted({4}, 1);
  layer.key_norm = counted({4}, 2);
  layer.sinks = counted({6}, 100);
  layer.bias_key = counted({12}, 200);
  layer.bias_value = counted({15}, 300);
  layer.relative_bias = counted({8, 6}, 400);
  return layer;
}

// Elements of one axis of a matrix or vector, one by one.
Tensor picked(const Tensor& from, int axis, const Heads& heads, std::int64_t size) {
  const bool vector = from.shape().rank() == 1;
  const std::int64_t rows = vector ? 1 : from.shape()[0], columns = vector ? from.shape()[0] : from.shape()[1];
  const bool along_rows = !vector && axis == 0;
  std::vector<float> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t head = (along_rows ? row : column) / size;
      const bool kept = std::find(heads.begin(), heads.end(), head) != heads.end();
      if (kept) values.push_back(from.data()[row * columns + column]);
    }
  }
  const auto kept = static_cast<std::int64_t>(heads.size()) * size;
  Tensor result(vector ? Dims{kept} : along_rows ? Dims{kept, columns} : Dims{rows, kept});
  REQUIRE(static_cast<std::size_t>(result.size()) == values.size());
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

AttentionWeights expected_slices(const AttentionWeights& w, const Heads& heads, const Heads& kv_heads) {
  AttentionWeights expected = w;
  expected.query_weight = picked(w.query_weight, 0, heads, 4);
  expected.query_bias = picked(w.query_bias, 0, heads, 4);
  expected.key_weight = picked(w.key_weight, 0, kv_heads, 4);
  expected.key_bias = picked(w.key_bias, 0, kv_heads, 4);
  expected.bias_key = picked(w.bias_key, 0, kv_heads, 4);
  expected.value_weight = picked(w.value_weight, 0, kv_heads, 5);
  expected.value_bias = picked(w.value_bias, 0, kv_heads, 5);
  expected.bias_value = picked(w.bias_value, 0, kv_heads, 5);
  expected.output_weight = picked(w.output_weight, 1, heads, 5);
  expected.sinks = picked(w.sinks, 0, heads, 1);
  expected.relative_bias = picked(w.relative_bias, 1, heads, 1);
  return expected;
}

void refused(const AttentionWeights& layer, const Heads& heads, const std::vector<std::string>& words) {
  expect_error(ErrorCode::invalid_argument, words, [&] { keep_heads(layer, heads); });
}

}  // namespace

TEST_CASE("a pruned layer holds the slices of the heads that stay") {
  const AttentionWeights layer = full_layer();
  const std::tuple<Heads, Heads> cases[] = {{{0, 1, 2, 3, 4, 5}, {0, 1, 2}},
                                            {{1, 3, 5}, {0, 1, 2}},
                                            {{0, 1, 4, 5}, {0, 2}},
                                            {{2, 5}, {1, 2}},
                                            {{4}, {2}},
                                            {{2, 3}, {1}}};
  for (const auto& [heads, kv_heads] : cases) {
    const AttentionWeights pruned = keep_heads(layer, heads);
    check_same(pruned, expected_slices(layer, heads, kv_heads));
    CHECK(pruned.config.num_heads == static_cast<std::int64_t>(heads.size()));
    CHECK(pruned.config.num_kv_heads == static_cast<std::int64_t>(kv_heads.size()));
  }
}

TEST_CASE("sizes and scale stay those of the whole layer") {
  AttentionConfig config;
  config.model_dim = 6;
  config.num_heads = 3;
  AttentionWeights layer = random_weights(config, 2);
  layer.config = config;  // with its zeros
  const AttentionConfig pruned = keep_heads(layer, {2}).config;
  CHECK(pruned.model_dim == 6);
  CHECK(pruned.head_dim == 2);
  CHECK(pruned.value_dim == 2);
  CHECK(pruned.output_dim == 6);
  CHECK(pruned.num_kv_heads == 1);
  CHECK(pruned.scale == resolve(config).scale);
  CHECK(resolve(pruned).scale == pruned.scale);
}

TEST_CASE("heads keep their order, and what is not given stays so") {
  AttentionWeights layer = full_layer();
  check_same(keep_heads(layer, {5, 1, 3}), keep_heads(layer, {1, 3, 5}));
  for (Tensor* part : {&layer.key_bias, &layer.sinks, &layer.bias_key, &layer.bias_value, &layer.relative_bias}) {
    *part = Tensor();
  }
  const AttentionWeights pruned = keep_heads(layer, {1, 3, 5});
  CHECK(!pruned.key_bias.given());
  CHECK(!pruned.sinks.given());
  CHECK(!pruned.bias_key.given());
  CHECK(!pruned.relative_bias.given());
  CHECK(!pruned.alibi_slopes.given());
}

TEST_CASE("pruning twice is pruning once, with the slopes of the whole layer") {
  AttentionWeights layer = full_layer();
  layer.config.position_bias.kind = PositionBias::alibi;
  const std::vector<float> slopes = alibi_slopes(6);
  const AttentionWeights pruned = keep_heads(layer, {1, 3, 5}), again = keep_heads(pruned, {0, 2});
  REQUIRE(pruned.alibi_slopes.shape() == Dims{3});
  CHECK(pruned.alibi_slopes.data()[0] == slopes[1]);
  CHECK(pruned.alibi_slopes.data()[1] == slopes[3]);
  CHECK(pruned.alibi_slopes.data()[2] == slopes[5]);
  check_same(again, keep_heads(layer, {1, 5}));
}

TEST_CASE("heads that cannot stay are refused") {
  const AttentionWeights layer = full_layer();
  refused(layer, {}, {"no head is listed"});
  refused(layer, {0, 6}, {"no head 6", "6"});
  refused(layer, {-1}, {"no head -1"});
  refused(layer, {std::numeric_limits<std::int64_t>::max()}, {"no head"});
  refused(layer, {3, 1, 3}, {"head 3", "twice"});
  refused(layer, {0, 1, 2}, {"key/value head 0 would serve 2", "key/value head 1 1"});
  refused(layer, {0, 2, 3, 4}, {"equally many"});
}

TEST_CASE("a tensor that does not fit the config is named before anything is sliced") {
  for (auto part : {&AttentionWeights::query_weight, &AttentionWeights::output_weight, &AttentionWeights::value_bias,
                    &AttentionWeights::sinks, &AttentionWeights::bias_key, &AttentionWeights::relative_bias,
                    &AttentionWeights::alibi_slopes}) {
    for (const Tensor& wrong : {Tensor({3}), Tensor({2, 3, 4}), Tensor(Dims{}), Tensor({0, 6}), Tensor({0})}) {
      AttentionWeights layer = full_layer();
      layer.*part = wrong;
      refused(layer, {1, 3, 5}, {"expected f32", "found f32 " + to_string(wrong.shape())});
    }
  }
  AttentionWeights layer = full_layer();
  layer.sinks = Tensor(DType::f64, {6});
  refused(layer, {0}, {"sinks", "f64"});
}
