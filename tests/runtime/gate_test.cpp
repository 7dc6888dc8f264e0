// Head gates and chosen heads: what they scale, what they leave out, and that they agree with a pruned layer.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "all_outputs.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

struct HeadsCall {
  Tensor query, key, value;
  HeadsCall(std::int64_t queries, std::int64_t keys, Random& random)
      : query(random_tensor(random, {2, 4, queries, 6})),
        key(random_tensor(random, {2, 2, keys, 6})),
        value(random_tensor(random, {2, 2, keys, 6})) {}
  AttentionInputs inputs() const { return inputs_of(query, key, value); }
};

Tensor gates(const Dims& shape, std::initializer_list<float> values) {
  Tensor tensor(shape);
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

Tensor head_list(std::initializer_list<std::int64_t> heads) {
  Tensor tensor(DType::i64, {std::int64_t(heads.size())});
  std::copy(heads.begin(), heads.end(), tensor.data<std::int64_t>());
  return tensor;
}

// Blocks of queries, and few queries among many keys.
constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {{9, 9}, {70, 130}, {1, 40}, {2, 700}};

template <class Test>
void for_each_model(const Test& test) {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const auto model = MultiHeadAttention::without_projections(grouped_config(), {isa, false});
    Random random(50);
    for (const auto& [queries, keys] : shapes) {
      CAPTURE(queries);
      test(model, HeadsCall(queries, keys, random));
    }
  }
}

// Element n of [2, 4, …] belongs to this head, counted through the batch.
std::int64_t head_of(const Tensor& output, std::int64_t n) {
  return n / (output.size() / 8);
}

}  // namespace

TEST_CASE("gate: the context of a head is multiplied by it, for all sequences or for each") {
  for_each_model([](const MultiHeadAttention& model, const HeadsCall& call) {
    AttentionInputs inputs = call.inputs();
    const Results plain = run(model, inputs);
    const Tensor all = gates({4}, {0.5F, -2, 1, 0}), each = gates({2, 4}, {0.5F, -2, 1, 0, 4, 0, 0, -0.25F});
    for (const Tensor* gate : {&all, &each}) {
      inputs.head_gate = gate->view();
      const Results gated = run(model, inputs);
      bool right = true;  // powers of two: exact
      for (std::int64_t n = 0; n < gated.output.size(); ++n) {
        const float factor = gate->data()[head_of(gated.output, n) % gate->size()];
        right = right && gated.output.data()[n] == factor * plain.output.data()[n];
      }
      CHECK(right);
    }
  });
}

TEST_CASE("gate: a gate of 0 gives zeros even where the head would give NaN") {
  for_each_model([](const MultiHeadAttention& model, const HeadsCall& call) {
    Tensor query = call.query;
    const std::int64_t size = query.size() / 8;
    std::fill_n(query.data() + size, size, std::numeric_limits<float>::quiet_NaN());  // head 1 of sequence 0
    AttentionInputs inputs = inputs_of(query, call.key, call.value);
    const Tensor gate = gates({4}, {1, 0, 1, 1});
    inputs.head_gate = gate.view();
    const Results results = run(model, inputs);
    bool zero = true;
    for (std::int64_t n = 0; n < size; ++n) zero = zero && results.output.data()[size + n] == 0;
    CHECK(zero);
    CHECK_FALSE(std::isnan(results.output.data()[0]));
  });
}

TEST_CASE("gate: heads that are not listed have a gate of 0, whatever the order of the list") {
  for_each_model([](const MultiHeadAttention& model, const HeadsCall& call) {
    AttentionInputs listed = call.inputs(), gated = call.inputs();
    const Tensor heads = head_list({3, 0}), gate = gates({4}, {1, 0, 0, 1});
    listed.heads = heads.view();
    gated.head_gate = gate.view();
    CHECK(same_bits(run(model, listed).output, run(model, gated).output));
  });
}

TEST_CASE("gate: weights, scores and sums of all heads stay what they are") {
  for_each_model([](const MultiHeadAttention& model, const HeadsCall& call) {
    const OutputSizes sizes{2, call.query.shape()[2], call.key.shape()[2], 2};
    AllOutputs plain = make_all_outputs(model, sizes), gated = make_all_outputs(model, sizes);
    AttentionInputs inputs = call.inputs();
    Session(model, {1, Schedule::automatic}).run(inputs, plain.views());
    const Tensor gate = gates({4}, {0, 3, 0.3F, -1});
    inputs.head_gate = gate.view();
    Session(model, {1, Schedule::automatic}).run(inputs, gated.views());
    CHECK(same_bits(plain.attention, gated.attention));
    CHECK(same_bits(plain.average, gated.average));
    CHECK(same_bits(plain.scores, gated.scores));
    CHECK(same_bits(plain.log_sum_exp, gated.log_sum_exp));
    CHECK(same_bits(plain.column_sums, gated.column_sums));
    CHECK(same_bits(plain.top_weights, gated.top_weights));
    CHECK(same_bits(gated.head_context, gated.output));
  });
}

TEST_CASE("gate: a layer with chosen heads is the layer that was pruned to them") {
  Random random(51);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const AttentionWeights weights = random_weights(grouped_config(), 52);
    const MultiHeadAttention whole(weights, {isa, false}), pruned(keep_heads(weights, {0, 1}), {isa, false});
    const Tensor x = random_tensor(random, {2, 30, 24}), heads = head_list({0, 1});
    AttentionInputs inputs = inputs_of(x, x, x);
    const Results expected = run(pruned, inputs);
    inputs.heads = heads.view();
    const Results actual = run(whole, inputs);
    double largest = 0;
    for (std::int64_t n = 0; n < actual.output.size(); ++n) {
      largest = std::max(largest, std::fabs(double(actual.output.data()[n]) - double(expected.output.data()[n])));
    }
    CHECK(largest <= 1e-6);  // sums over 12 columns of numbers below 1, in another order
  }
}
