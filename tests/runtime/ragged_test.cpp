// Ragged batches: every sequence has the bits that it has alone, whoever travels with it.
#include <doctest/doctest.h>

#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

struct Lengths {
  std::vector<std::int64_t> queries, keys;
};

// Several blocks of queries and keys, few queries among many keys, empty sequences on either side.
const Lengths batches[] = {{{3, 7, 1}, {5, 7, 9}},
                           {{0, 70, 0, 1, 33}, {4, 200, 0, 130, 0}},
                           {{2, 100, 1}, {1100, 100, 500}},
                           {{0, 0}, {0, 3}},
                           {{12}, {12}},
                           {{}, {}}};

Tensor starts_of(const std::vector<std::int64_t>& lengths) {
  Tensor starts(DType::i32, {std::int64_t(lengths.size()) + 1});
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    starts.data<std::int32_t>()[b + 1] = starts.data<std::int32_t>()[b] + std::int32_t(lengths[b]);
  }
  return starts;
}

AttentionConfig ragged_config() {
  AttentionConfig config;
  config.model_dim = 24;
  config.num_heads = 4;
  config.num_kv_heads = 2;
  config.head_dim = 10;
  config.value_dim = 6;
  config.rotary.dim = 8;
  config.position_bias.kind = PositionBias::alibi;
  return config;
}

// A ragged call; rows of sequence b from start to start of the next.
struct RaggedCall {
  Tensor query_starts, key_starts, query, key, value;
  AttentionInputs inputs;
  int axis;  // of the rows

  RaggedCall(const Lengths& lengths, bool projected, Random& random)
      : query_starts(starts_of(lengths.queries)), key_starts(starts_of(lengths.keys)), axis(projected ? 0 : 2) {
    const std::int64_t queries = start(query_starts, lengths.queries.size());
    const std::int64_t keys = start(key_starts, lengths.keys.size());
    query = random_tensor(random, projected ? Dims{queries, 24} : Dims{1, 4, queries, 10});
    key = random_tensor(random, projected ? Dims{keys, 24} : Dims{1, 2, keys, 10});
    value = random_tensor(random, projected ? Dims{keys, 24} : Dims{1, 2, keys, 6});
    inputs = inputs_of(query, key, value);
    inputs.cumulative_query_lengths = query_starts.view();
    inputs.cumulative_key_lengths = key_starts.view();
    inputs.causal = true;
    inputs.causal_alignment = CausalAlignment::lower_right;
  }
  static std::int64_t start(const Tensor& starts, std::size_t b) { return starts.data<std::int32_t>()[b]; }
  TensorView part(const TensorView& rows, const Tensor& starts, std::size_t b) const {
    return slice(rows, axis, start(starts, b), start(starts, b + 1) - start(starts, b));
  }
  AttentionInputs alone(std::size_t b) const {
    AttentionInputs one = inputs;
    one.query = part(inputs.query, query_starts, b);
    one.key = part(inputs.key, key_starts, b);
    one.value = part(inputs.value, key_starts, b);
    one.cumulative_query_lengths = one.cumulative_key_lengths = {};
    return one;
  }
};

MultiHeadAttention make_model(bool projected, const std::string& isa) {
  return projected ? MultiHeadAttention(random_weights(ragged_config(), 5), {isa, false})
                   : MultiHeadAttention::without_projections(ragged_config(), {isa, false});
}

template <class Test>
void for_each_ragged_call(const Test& test) {
  for (const std::string& isa : running_isas()) {
    for (const bool projected : {true, false}) {
      const MultiHeadAttention model = make_model(projected, isa);
      Random random(30);
      for (const Lengths& lengths : batches) {
        CAPTURE(isa);
        CAPTURE(projected);
        CAPTURE(lengths.queries.size());
        const RaggedCall call(lengths, projected, random);
        test(model, call, lengths);
      }
    }
  }
}

}  // namespace

TEST_CASE("ragged: same bits for a sequence alone") {
  for_each_ragged_call([](const MultiHeadAttention& model, const RaggedCall& call, const Lengths& lengths) {
    const Results all = run(model, call.inputs, {}, {2, Schedule::automatic});
    for (std::size_t b = 0; b < lengths.queries.size(); ++b) {
      CAPTURE(b);
      const Results alone = run(model, call.alone(b));
      CHECK(same_bits(copy_of(call.part(all.output.view(), call.query_starts, b)), alone.output));
    }
  });
}

TEST_CASE("ragged: same bits for every number of threads and every schedule") {
  for_each_ragged_call([](const MultiHeadAttention& model, const RaggedCall& call, const Lengths&) {
    const Results expected = run(model, call.inputs, {}, {1, Schedule::wide});
    for (const int threads : {1, 2, 3, 7}) {
      for (const Schedule schedule : {Schedule::automatic, Schedule::wide, Schedule::deep}) {
        CHECK(same_bits(run(model, call.inputs, {}, {threads, schedule}).output, expected.output));
      }
    }
  });
}

TEST_CASE("ragged: same bits as a padded batch with lengths, where queries and keys are one tensor") {
  Random random(31);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    AttentionConfig config = ragged_config();
    config.value_dim = 10;
    const MultiHeadAttention model(random_weights(config, 6), {isa, false});
    const Tensor padded = random_tensor(random, {3, 40, 24}), starts = starts_of({40, 7, 22});
    Tensor rows({69, 24}), lengths(DType::i64, {3});
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t first = starts.data<std::int32_t>()[b], count = starts.data<std::int32_t>()[b + 1] - first;
      lengths.data<std::int64_t>()[b] = count;
      std::copy_n(padded.data() + b * 40 * 24, count * 24, rows.data() + first * 24);
    }
    AttentionInputs ragged = inputs_of(rows, rows, rows), batch = inputs_of(padded, padded, padded);
    ragged.cumulative_query_lengths = starts.view();  // the key lengths may be left out
    batch.key_lengths = batch.query_lengths = lengths.view();
    const Results actual = run(model, ragged), expected = run(model, batch);
    for (std::int64_t b = 0; b < 3; ++b) {
      const std::int64_t first = starts.data<std::int32_t>()[b], count = lengths.data<std::int64_t>()[b];
      const TensorView of_batch = slice(slice(expected.output.view(), 0, b, 1), 1, 0, count);
      const Tensor part = copy_of(of_batch);
      const Tensor same_shape = copy_of(TensorView(part.data(), DType::f32, {count, 24}));
      CHECK(same_bits(copy_of(slice(actual.output.view(), 0, first, count)), same_shape));
      for (std::int64_t i = count * 24; i < 40 * 24; ++i) CHECK(expected.output.data()[b * 40 * 24 + i] == 0.0F);
    }
  }
}
