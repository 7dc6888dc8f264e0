// f16 and bf16: A38 and its kind. Storage is narrow, arithmetic is not: the bits are those of the f32 call on the same
// numbers, rounded once at the end.
#include "all_outputs.hpp"
#include "bug_case.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

constexpr DType half_types[] = {DType::f16, DType::bf16};

// Inputs in a narrow type, and the same numbers as f32.
struct HalfCall {
  Tensor query, key, value, wide_query, wide_key, wide_value;

  HalfCall(const Tensor& q, const Tensor& k, const Tensor& v, DType dtype)
      : query(convert(q, dtype)),
        key(convert(k, dtype)),
        value(convert(v, dtype)),
        wide_query(convert(query, DType::f32)),
        wide_key(convert(key, DType::f32)),
        wide_value(convert(value, DType::f32)) {}
  AttentionInputs narrow() const { return inputs_of(query, key, value); }
  AttentionInputs wide() const { return inputs_of(wide_query, wide_key, wide_value); }
};

bool same_bytes(const Tensor& a, const Tensor& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * dtype_size(a.dtype());
  return a.dtype() == b.dtype() && a.shape() == b.shape() && std::memcmp(a.view().data, b.view().data, bytes) == 0;
}

void check_half_call(const MultiHeadAttention& model, const HalfCall& call, const AttentionInputs& rules) {
  AttentionInputs narrow = call.narrow(), wide = call.wide();
  for (AttentionInputs* inputs : {&narrow, &wide}) {
    inputs->causal = rules.causal;
    inputs->causal_alignment = CausalAlignment::lower_right;
    inputs->attention_mask = rules.attention_mask;
  }
  const Results expected = run(model, wide, {true, true});
  CHECK(same_bits(run(model, narrow, {true, true}).output, expected.output));
  Results results = make_results(model, narrow, {true, true});
  const DType dtype = call.query.dtype();
  results.output = convert(results.output, dtype);
  results.attention = convert(results.attention, dtype);
  results.average = convert(results.average, dtype);
  Session(model, {2, Schedule::automatic}).run(narrow, results.outputs());
  CHECK(same_bytes(results.output, convert(expected.output, dtype)));
  CHECK(same_bytes(results.attention, convert(expected.attention, dtype)));
  CHECK(same_bytes(results.average, convert(expected.average, dtype)));
}

constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {{9, 9}, {70, 130}, {1, 40}, {3, 700}};

}  // namespace

TEST_CASE("A38: f16 and bf16 storage, in and out") {
  for (const std::string& isa : running_isas()) {
    for (const DType dtype : half_types) {
      CAPTURE(isa);
      CAPTURE(dtype_name(dtype));
      CaseCall call("A38");
      call.take_heads();
      const HalfCall half(call.query, call.key, call.value, dtype);
      const MultiHeadAttention model = heads_model(call.inputs, isa);
      check_expected(call.json, "out", run(model, half.narrow()).output);  // inputs are exact, so are f32 results
      Results results{convert(make_results(model, half.narrow()).output, dtype), {}, {}};
      Session(model, {1, Schedule::automatic}).run(half.narrow(), results.outputs());
      std::vector<double> expected;
      append_numbers(call.json["expected"]["out"], expected);
      const double half_ulp = dtype == DType::f16 ? 0x1p-11 : 0x1p-8;
      check_near(convert(results.output, DType::f32), expected, 1e-6, half_ulp);
    }
  }
}

TEST_CASE("A38: a call of narrow numbers has the bits of the f32 call on the same numbers") {
  for (const std::string& isa : running_isas()) {
    const auto model = MultiHeadAttention::without_projections(grouped_config(), {isa, false});
    for (const DType dtype : half_types) {
      Random random(38);
      for (const auto& [queries, keys] : shapes) {
        CAPTURE(isa);
        CAPTURE(dtype_name(dtype));
        CAPTURE(queries);
        const HalfCall call(random_tensor(random, {2, 4, queries, 6}), random_tensor(random, {2, 2, keys, 6}),
                            random_tensor(random, {2, 2, keys, 6}), dtype);
        check_half_call(model, call, {});
        AttentionInputs rules;
        const Tensor mask = random_tensor(random, {queries, keys});
        rules.attention_mask = mask.view();
        rules.causal = true;
        check_half_call(model, call, rules);
      }
    }
  }
}

TEST_CASE("A38: so has a layer") {
  for (const std::string& isa : running_isas()) {
    const MultiHeadAttention model(random_weights(grouped_config(), 39), {isa, false});
    for (const DType dtype : half_types) {
      Random random(39);
      for (const auto& [queries, keys] : shapes) {
        CAPTURE(isa);
        CAPTURE(dtype_name(dtype));
        CAPTURE(queries);
        const HalfCall call(random_tensor(random, {2, queries, 24}), random_tensor(random, {2, keys, 24}),
                            random_tensor(random, {2, keys, 24}), dtype);
        check_half_call(model, call, {});
      }
    }
  }
}

TEST_CASE("A38: masks of narrow numbers add what they hold") {
  Random random(40);
  for (const std::string& isa : running_isas()) {
    const auto model = MultiHeadAttention::without_projections(grouped_config(), {isa, false});
    for (const DType dtype : half_types) {
      CAPTURE(isa);
      const Tensor q = random_tensor(random, {2, 4, 40, 6}), k = random_tensor(random, {2, 2, 100, 6});
      Tensor bias = random_tensor(random, {2, 1, 40, 100}, 3);
      for (std::int64_t n = 0; n < bias.size(); n += 3) bias.data()[n] = -std::numeric_limits<float>::infinity();
      const Tensor narrow = convert(bias, dtype), wide = convert(narrow, DType::f32);
      AttentionInputs inputs = inputs_of(q, k, k);
      inputs.attention_mask = wide.view();
      const Results expected = run(model, inputs);
      inputs.attention_mask = narrow.view();
      CHECK(same_bits(run(model, inputs).output, expected.output));
    }
  }
}

TEST_CASE("half types: weights in f16 or bf16 are those numbers in f32") {
  Random random(21);
  const Tensor x = random_tensor(random, {1, 9, 32});
  for (const DType type : {DType::f16, DType::bf16}) {
    AttentionWeights half = random_weights({.model_dim = 32, .num_heads = 4}, 5);
    half.sinks = random_tensor(random, {4});
    AttentionWeights wide = half;
    for (const auto member : {&AttentionWeights::query_weight, &AttentionWeights::output_weight,
                              &AttentionWeights::key_bias, &AttentionWeights::sinks}) {
      half.*member = convert(half.*member, type);
      wide.*member = convert(half.*member, DType::f32);
    }
    Tensor expected({1, 9, 32}), output({1, 9, 32});
    const AttentionInputs inputs{.query = x, .key = x, .value = x};
    Session(MultiHeadAttention(wide)).run(inputs, {.output = expected});
    Session(MultiHeadAttention(half)).run(inputs, {.output = output});
    CHECK(std::memcmp(output.data(), expected.data(), sizeof(float) * std::size_t(output.size())) == 0);
  }
}
