// Where sequences lie in their tensors: one tensor that is cut in two ways, lengths of padded self-attention, and
// claims of sizes that nobody has memory for.
#include <doctest/doctest.h>

#include <limits>

#include "calls.hpp"
#include "expect_error.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

Tensor ids(std::initializer_list<std::int32_t> values) {
  Tensor result(DType::i32, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), result.data<std::int32_t>());
  return result;
}

bool same_numbers(const Tensor& a, const Tensor& b, std::int64_t count) {
  return std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(count)) == 0;
}

const MultiHeadAttention& layer() {
  static const MultiHeadAttention model(random_weights({.model_dim = 32, .num_heads = 4}, 3));
  return model;
}

Tensor run_layer(const AttentionInputs& inputs, Schedule schedule, int threads = 2) {
  Tensor output(inputs.query.shape);
  Session(layer(), {threads, schedule}).run(inputs, {.output = output});
  return output;
}

}  // namespace

// One tensor does not mean one product: a slab has the rows of its queries, and its keys may be others.
TEST_CASE("sequences: query and key are one tensor, cut in two ways") {
  Random random(11);
  const Tensor x = random_tensor(random, {1000, 32});
  const Tensor copy = x;
  const std::pair<Tensor, Tensor> cuts[] = {{ids({0, 100, 250, 600, 1000}), ids({0, 300, 310, 700, 1000})},
                                            {ids({0, 500, 1000}), ids({0, 0, 1000})},
                                            {ids({0, 0, 1000}), ids({0, 1000, 1000})},
                                            {ids({0, 500, 1000}), ids({0, 500, 1000})}};
  for (const auto& [queries, keys] : cuts) {
    AttentionInputs inputs{.query = x, .key = x, .value = x};
    inputs.cumulative_query_lengths = queries;
    inputs.cumulative_key_lengths = keys;
    AttentionInputs separate = inputs;
    separate.key = separate.value = copy;
    const Tensor expected = run_layer(separate, Schedule::wide);
    for (const Schedule schedule : {Schedule::wide, Schedule::deep, Schedule::automatic}) {
      CHECK(same_numbers(run_layer(inputs, schedule), expected, expected.size()));
    }
  }
}

TEST_CASE("sequences: a model of fused products alone refuses one tensor that is cut in two ways") {
  const MultiHeadAttention fused(random_weights({.model_dim = 32, .num_heads = 4}, 3), {.self_attention_only = true});
  const Tensor x({10, 32}), queries = ids({0, 5, 10}), keys = ids({0, 4, 10});
  Tensor y({10, 32});
  AttentionInputs inputs{.query = x, .key = x, .value = x};
  inputs.cumulative_query_lengths = queries;
  inputs.cumulative_key_lengths = keys;
  expect_error(ErrorCode::invalid_argument, {"self_attention_only", "same lengths"},
               [&] { Session(fused).run(inputs, {.output = y}); });
}

TEST_CASE("sequences: padded self-attention of few tokens has the bits of the tokens alone") {
  Random random(12);
  for (const std::int64_t length : {1, 2, 3, 4, 5}) {
    for (const std::int64_t padded : {length + 1, std::int64_t{40}, std::int64_t{700}}) {
      const Tensor x = random_tensor(random, {1, padded, 32});
      const Tensor lengths = ids({static_cast<std::int32_t>(length)});
      const TensorView alone(x.data(), DType::f32, {1, length, 32});
      const Tensor expected = run_layer({.query = alone, .key = alone, .value = alone}, Schedule::automatic);
      AttentionInputs inputs{.query = x, .key = x, .value = x};
      inputs.key_lengths = lengths;
      CHECK(same_numbers(run_layer(inputs, Schedule::automatic), expected, expected.size()));
      inputs.query_lengths = lengths;
      CHECK(same_numbers(run_layer(inputs, Schedule::automatic), expected, expected.size()));
    }
  }
}

// What an earlier call left in scratch memory must not show: every column of every result is written.
TEST_CASE("sequences: few queries without a live key, in a session that has run before") {
  Random random(13);
  const Tensor key = random_tensor(random, {1, 2, 600, 8}), query = random_tensor(random, {1, 2, 1, 8});
  for (const std::string& isa : running_isas()) {
    for (const bool extra : {false, true}) {
      const MultiHeadAttention model = MultiHeadAttention::without_projections(
          {.num_heads = 2, .head_dim = 8, .add_zero_attention = extra}, {.isa = isa});
      Session session(model, {1, Schedule::automatic});
      const std::int64_t columns = extra ? 601 : 600;
      Tensor y({1, 2, 1, 8}), average({1, 1, columns}), sums({1, 2, columns}), top(DType::i64, {1, 2, 1, 1});
      AttentionOutputs outputs{.output = y, .average_attention = average};
      outputs.column_sums = sums;
      outputs.top_keys = top;
      AttentionInputs inputs{.query = query, .key = key, .value = key};
      session.run(inputs, outputs);
      const Tensor none = ids({0});
      inputs.key_lengths = none;
      session.run(inputs, outputs);
      for (std::int64_t j = 0; j < columns; ++j) {
        const float expected = extra && j == 600 ? 1 : 0;
        CHECK(average.data()[j] == expected);
        CHECK(sums.data()[j] == expected);
      }
      CHECK(top.data<std::int64_t>()[0] == (extra ? 600 : -1));
    }
  }
}

TEST_CASE("sequences: padded cross-attention of few queries has the bits of its queries alone") {
  Random random(14);
  const Tensor x = random_tensor(random, {1, 8, 32}), memory = random_tensor(random, {1, 8, 32});
  const TensorView query(x.data(), DType::f32, {1, 2, 32}), key(memory.data(), DType::f32, {1, 7, 32});
  const Tensor expected = run_layer({.query = query, .key = key, .value = key}, Schedule::automatic);
  const Tensor queries = ids({2}), keys = ids({7});
  AttentionInputs inputs{.query = x, .key = memory, .value = memory};
  inputs.query_lengths = queries;
  inputs.key_lengths = keys;
  CHECK(same_numbers(run_layer(inputs, Schedule::automatic), expected, expected.size()));
}

TEST_CASE("errors: more sequences or list entries than anybody has") {
  constexpr std::int64_t many = std::int64_t{1} << 39;
  const Tensor one({32});
  Tensor y({1});
  const TensorView endless(one.data(), DType::f32, {many, 0, 32});
  const auto refused = [&](const std::vector<std::string>& words, const AttentionInputs& inputs,
                           const AttentionOutputs& outputs) {
    expect_error(ErrorCode::invalid_argument, words, [&] { Session(layer()).run(inputs, outputs); });
  };
  refused({std::to_string(many) + " sequences"}, {.query = endless, .key = endless, .value = endless},
          {.output = MutableTensorView(y.data(), DType::f32, {many, 0, 32})});
  const Tensor x({4, 32}), zero = ids({0});
  Tensor out({4, 32}), weights({1});
  AttentionInputs ragged{.query = x, .key = x, .value = x};
  ragged.cumulative_query_lengths = TensorView(zero.data<std::int32_t>(), DType::i32, {many}, {0});
  refused({"cumulative_query_lengths", "sequences"}, ragged, {.output = out});
  AttentionOutputs outputs{.output = out};
  outputs.attention = MutableTensorView(weights.data(), DType::f32, {1, many, 4, 4});
  outputs.attention_heads = TensorView(zero.data<std::int32_t>(), DType::i32, {many}, {0});
  refused({"attention_heads", "at most"}, {.query = x, .key = x, .value = x}, outputs);
}

TEST_CASE("errors: enumerations that are no value of their type") {
  Tensor x({4, 32}), y({4, 32}), mask(DType::boolean, {4, 4});
  AttentionInputs inputs{.query = x, .key = x, .value = x};
  inputs.attention_mask = mask;
  inputs.attention_mask_meaning = static_cast<BooleanMask>(77);
  expect_error(ErrorCode::invalid_argument, {"attention_mask", "77"},
               [&] { Session(layer()).run(inputs, {.output = y}); });
  AttentionOutputs outputs{.output = y};
  outputs.score_stage = static_cast<ScoreStage>(77);
  expect_error(ErrorCode::invalid_argument, {"score_stage", "77"},
               [&] { Session(layer()).run({.query = x, .key = x, .value = x}, outputs); });
  expect_error(ErrorCode::invalid_argument, {"schedule", "77"}, [&] {
    Session(layer(), {1, static_cast<Schedule>(77)});
  });
}
