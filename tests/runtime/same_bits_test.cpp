// The bits of a result depend on the call's own numbers alone: not on threads, schedule, batch, padding, layout, or on
// what else is asked for.
#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

// Several blocks of queries and keys, several chunks of rows; d and dv differ; query and key lengths differ.
struct Shape {
  std::int64_t batch, queries, keys;
};
constexpr Shape shapes[] = {{5, 37, 37}, {3, 70, 450}, {2, 200, 200}};

AttentionConfig layer_config() {
  AttentionConfig config;
  config.model_dim = 72;
  config.num_heads = 6;
  config.num_kv_heads = 3;
  config.head_dim = 16;
  config.value_dim = 20;
  config.output_dim = 40;
  return config;
}

// One call of a layer and of its core; the tensors must outlive the views.
struct BitsCall {
  Tensor query, key, mask, lengths;
  AttentionInputs inputs;

  BitsCall(const Shape& shape, Random& random)
      : query(random_tensor(random, {shape.batch, shape.queries, 72})),
        key(random_tensor(random, {shape.batch, shape.keys, 72})),
        mask(random_tensor(random, {shape.queries, shape.keys})),
        lengths(DType::i64, {shape.batch}) {
    for (std::int64_t b = 0; b < shape.batch; ++b) lengths.data<std::int64_t>()[b] = shape.keys - 7 * b;
    inputs = inputs_of(query, key, key);
    inputs.attention_mask = mask.view();
    inputs.key_lengths = lengths.view();
    inputs.causal = true;
    inputs.causal_alignment = CausalAlignment::lower_right;
  }
};

bool same_results(const Results& a, const Results& b) {
  return same_bits(a.output, b.output) && same_bits(a.attention, b.attention) && same_bits(a.average, b.average);
}

template <class Test>
void for_each_layer(const Test& test) {
  Random random(40);
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model(random_weights(layer_config(), 40), {isa, false});
    for (const Shape& shape : shapes) {
      CAPTURE(isa);
      CAPTURE(shape.queries);
      const BitsCall call(shape, random);
      test(model, call);
    }
  }
}

// x of the bug report A40.
float hashed(std::uint64_t i) {
  const auto mixed = static_cast<std::uint32_t>(i * 2654435761U);
  return float(mixed >> 8) / 16777216.0F * 2 - 1;
}

Tensor hashed_tensor(const Dims& shape, std::uint64_t& next) {
  Tensor result(shape);
  for (std::int64_t i = 0; i < result.size(); ++i) result.data()[i] = hashed(next++);
  return result;
}

}  // namespace

TEST_CASE("A40: the report's own layer, threads 1 to 16, five times each, while another thread is busy") {
  std::uint64_t next = 0, next_weight = 1000;
  const Tensor x = hashed_tensor({3, 37, 8}, next);
  AttentionWeights w;
  w.config.model_dim = 8;
  w.config.num_heads = 2;
  for (Tensor* weight : {&w.query_weight, &w.key_weight, &w.value_weight, &w.output_weight}) {
    *weight = hashed_tensor({8, 8}, next_weight);
  }
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) continue;
  });
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model(w, {isa, false});
    const Results expected = run(model, inputs_of(x, x, x));
    for (const int threads : {1, 2, 3, 4, 7, 16}) {
      Session session(model, {threads, Schedule::automatic});
      for (int repeat = 0; repeat < 5; ++repeat) {
        Results results = make_results(model, inputs_of(x, x, x));
        session.run(inputs_of(x, x, x), results.outputs());
        CHECK(same_bits(results.output, expected.output));
      }
    }
  }
  stop = true;
  busy.join();
}

TEST_CASE("same bits for every number of threads and every schedule") {
  for_each_layer([](const MultiHeadAttention& model, const BitsCall& call) {
    const Results expected = run(model, call.inputs, {true, true}, {1, Schedule::wide});
    for (const int threads : {1, 2, 3, 4, 7}) {
      for (const Schedule schedule : {Schedule::automatic, Schedule::wide, Schedule::deep}) {
        CAPTURE(threads);
        CAPTURE(int(schedule));
        CHECK(same_results(run(model, call.inputs, {true, true}, {threads, schedule}), expected));
      }
    }
  });
}

TEST_CASE("same bits for a sequence alone and inside a batch") {
  for_each_layer([](const MultiHeadAttention& model, const BitsCall& call) {
    const Results all = run(model, call.inputs, {true, true}, {2, Schedule::automatic});
    for (std::int64_t b = 0; b < call.query.shape()[0]; ++b) {
      AttentionInputs one = call.inputs;
      one.query = slice(one.query, 0, b, 1);
      one.key = slice(one.key, 0, b, 1);
      one.value = slice(one.value, 0, b, 1);
      one.key_lengths = slice(one.key_lengths, 0, b, 1);
      const Results alone = run(model, one, {true, true});
      CHECK(same_bits(alone.output, copy_of(slice(all.output.view(), 0, b, 1))));
      CHECK(same_bits(alone.attention, copy_of(slice(all.attention.view(), 0, b, 1))));
      CHECK(same_bits(alone.average, copy_of(slice(all.average.view(), 0, b, 1))));
    }
  });
}

TEST_CASE("same bits with and without weights and their average") {
  for_each_layer([](const MultiHeadAttention& model, const BitsCall& call) {
    const Results plain = run(model, call.inputs, {}, {2, Schedule::automatic});
    for (const Want& want : {Want{true, false}, Want{false, true}, Want{true, true}}) {
      CHECK(same_bits(run(model, call.inputs, want, {2, Schedule::automatic}).output, plain.output));
    }
    const Results both = run(model, call.inputs, {true, true});
    CHECK(same_bits(run(model, call.inputs, {true, false}).attention, both.attention));
    CHECK(same_bits(run(model, call.inputs, {false, true}).average, both.average));
  });
}

TEST_CASE("same bits for keys that are cut off and for keys that are padded on either side") {
  Random random(41);
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model(random_weights(layer_config(), 40), {isa, false});
    const Tensor query = random_tensor(random, {1, 70, 72}), key = random_tensor(random, {1, 450, 72});
    for (const std::int64_t length : {1, 31, 192, 193, 300, 450}) {
      CAPTURE(isa);
      CAPTURE(length);
      const TensorView live = slice(key.view(), 1, 0, length);
      const Results expected = run(model, inputs_of(query, live, live));
      const TensorView late = slice(key.view(), 1, 450 - length, length);
      Tensor lengths(DType::i32, {1}), padding(DType::boolean, {450}), left(DType::boolean, {450});
      lengths.data<std::int32_t>()[0] = std::int32_t(length);
      std::fill(padding.data<bool>() + length, padding.data<bool>() + 450, true);
      std::fill(left.data<bool>(), left.data<bool>() + 450 - length, true);
      AttentionInputs by_length = inputs_of(query, key, key), by_mask = by_length;
      by_length.key_lengths = lengths.view();
      by_mask.key_padding_mask = padding.view();
      by_mask.key_padding_meaning = BooleanMask::drop;
      CHECK(same_bits(run(model, by_length).output, expected.output));
      CHECK(same_bits(run(model, by_mask).output, expected.output));
      by_mask.key_padding_mask = left.view();
      CHECK(same_bits(run(model, by_mask).output, run(model, inputs_of(query, late, late)).output));
    }
  }
}

TEST_CASE("same bits for strided and contiguous inputs and outputs") {
  for_each_layer([](const MultiHeadAttention& model, const BitsCall& call) {
    const Results expected = run(model, call.inputs, {true, true}, {2, Schedule::automatic});
    const auto spread = [](const Tensor& tensor) {  // every element followed by a NaN, as a [B, L, D, 2] buffer
      const Dims& s = tensor.shape();
      Tensor memory = filled({s[0], s[1], s[2], 2}, std::numeric_limits<float>::quiet_NaN());
      for (std::int64_t i = 0; i < tensor.size(); ++i) memory.data()[2 * i] = tensor.data()[i];
      return memory;
    };
    const auto every_second = [](const Tensor& memory) {
      const Dims& s = memory.shape();
      return TensorView(memory.view().data, DType::f32, {s[0], s[1], s[2]}, {s[1] * s[2] * 2, s[2] * 2, 2});
    };
    const Tensor query = spread(call.query), key = spread(call.key), other = spread(call.key);
    AttentionInputs inputs = call.inputs;
    inputs.query = every_second(query);
    inputs.key = every_second(key);
    inputs.value = every_second(other);
    for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
      CHECK(same_results(run(model, inputs, {true, true}, {2, schedule}), expected));
    }
  });
}

TEST_CASE("same bits for one call repeated in a session that served larger and smaller calls") {
  for_each_layer([](const MultiHeadAttention& model, const BitsCall& call) {
    const Results expected = run(model, call.inputs, {true, true});
    Random random(42);
    const Tensor small = random_tensor(random, {1, 3, 72}), large = random_tensor(random, {2, 400, 72});
    Session session(model, {2, Schedule::automatic});
    for (const Tensor* other : {&small, &large}) {
      const AttentionInputs inputs = inputs_of(*other, *other, *other);
      Results others = make_results(model, inputs);
      session.run(inputs, others.outputs());
      Results results = make_results(model, call.inputs, {true, true});
      session.run(call.inputs, results.outputs());
      CHECK(same_results(results, expected));
    }
  });
}
