// Public bug reports as cases: the files as they are, on every ISA. bug_kinds_test.cpp and numbers_test.cpp widen them.
#include "each_bug_case.hpp"

using namespace headwise;

namespace {

// Weights are asked for and not asked for; the bits must not differ.
Results run_both_ways(const MultiHeadAttention& model, const AttentionInputs& inputs) {
  const Results plain = run(model, inputs);
  Results full = run(model, inputs, {true, true});
  CHECK(same_bits(plain.output, full.output));
  return full;
}

std::vector<double> case_expected(const Json& json) {
  std::vector<double> numbers;
  append_numbers(json, numbers);
  return numbers;
}

void check_layer_case(const CaseCall& call, const std::string& isa) {
  const MultiHeadAttention model(case_weights(call), {isa, false});
  const Results results = run_both_ways(model, call.inputs);
  CHECK(results.output.shape() == call.query.shape());
  check_expected(call.json, "y", results.output);
  if (call.json["expected"].contains("attn_weights")) check_expected(call.json, "attn_weights", results.attention);
}

}  // namespace

TEST_CASE("A01 A05 A07 A08 A10 A11 A19 A35 A38 A41: attention alone") {
  each_heads_case([](const CaseCall& call, const std::string& isa) {
    const Results results = run_both_ways(heads_model(call.inputs, isa, call.scale()), call.inputs);
    check_expected(call.json, "out", results.output);
    if (call.json["expected"].contains("weights")) check_expected(call.json, "weights", results.attention);
  });
}

TEST_CASE("A02 A04 A14: whole layers") {
  each_layer_case(check_layer_case);
}

TEST_CASE("A01 A02 A04: a row without a live key is exactly zero, and exactly the bias after the output projection") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    CaseCall call("A04");
    call.take_masks();
    call.take_self();
    const Tensor bias = call.tensor("out_proj_bias");
    const MultiHeadAttention model(case_weights(call), {isa, false});
    const Results results = run(model, call.inputs, {true, false});
    const float* padded = results.output.data() + 4 * 4;  // sequence 1, rows 0 and 1
    for (std::int64_t i = 0; i < 8; ++i) CHECK(padded[i] == bias.data()[i % 4]);
    for (std::int64_t h = 0; h < 2; ++h) {
      const float* weights = results.attention.data() + (2 + h) * 16;
      for (std::int64_t i = 0; i < 8; ++i) CHECK(weights[i] == 0.0F);
    }
    AttentionInputs alone = call.inputs;
    alone.query = alone.key = alone.value = slice(call.query.view(), 0, 0, 1);
    alone.key_padding_mask = {};
    CHECK(same_bits(run(model, alone).output, rows_of(results.output, 0, 1)));
  }
}

TEST_CASE("A13: each boolean mask says what true means, and both answers are there") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    CaseCall call("A13");
    call.take_heads();
    const Tensor mask = call.tensor("mask");
    const MultiHeadAttention model = heads_model(call.inputs, isa, call.scale());
    for (const BooleanMask meaning : {BooleanMask::keep, BooleanMask::drop}) {
      const char* name = meaning == BooleanMask::keep ? "if_true_means_attend" : "if_true_means_ignore";
      AttentionInputs by_mask = call.inputs, by_padding = call.inputs;
      by_mask.attention_mask = by_padding.key_padding_mask = mask.view();
      by_mask.attention_mask_meaning = by_padding.key_padding_meaning = meaning;
      check_expected(call.json, name, run(model, by_mask).output);
      check_expected(call.json, name, run(model, by_padding).output);
    }
  }
}

TEST_CASE("A16: causal with Lq != Lk follows the alignment that was named") {
  for (const std::string& isa : running_isas()) {
    for (const char* shapes : {"Lq2_Lk4", "Lq4_Lk2"}) {
      CAPTURE(isa);
      CAPTURE(shapes);
      const Json json = read_case("A16");
      const Json& in = json["inputs"][shapes];
      const Tensor q = case_tensor(in["q"]), k = case_tensor(in["k"]), v = case_tensor(in["v"]);
      AttentionInputs inputs = inputs_of(q, k, v);
      inputs.causal = true;
      const MultiHeadAttention model = heads_model(inputs, isa);
      const Json& expected = json["expected"][shapes];
      inputs.causal_alignment = CausalAlignment::upper_left;
      check_near(run(model, inputs).output, case_expected(expected["top_left"]));
      inputs.causal_alignment = CausalAlignment::lower_right;
      check_near(run(model, inputs).output, case_expected(expected["bottom_right"]));
    }
  }
}

TEST_CASE("A26: keys stored as [B, H, d, L] and values stored as [B, L, H, d]") {
  const CaseCall call("A26");
  const Tensor q = call.tensor("q"), k = call.tensor("k_stored_as_BHDL"), v = call.tensor("v_stored_as_BLHD");
  const TensorView key(k.view().data, DType::f32, {1, 2, 5, 4}, {40, 20, 1, 5});
  const TensorView value(v.view().data, DType::f32, {1, 2, 5, 4}, {40, 4, 8, 1});
  const AttentionInputs inputs = inputs_of(q, key, value);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    check_expected(call.json, "out", run(heads_model(inputs, isa), inputs).output);
  }
}

TEST_CASE("A29: no keys at all give the output bias") {
  const CaseCall call("A29");
  const Tensor query = call.tensor("x_query"), none({1, 0, 4});
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model(case_weights(call), {isa, false});
    check_expected(call.json, "y", run_both_ways(model, inputs_of(query, none, none)).output);
  }
}

TEST_CASE("A29: an empty sequence beside a full one, and no queries, no batch") {
  Random random(29);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const Tensor x = random_tensor(random, {2, 5, 8});
    Tensor lengths(DType::i32, {2});
    lengths.data<std::int32_t>()[1] = 5;
    AttentionConfig config;
    config.model_dim = 8;
    config.num_heads = 2;
    const MultiHeadAttention model(random_weights(config, 29), {isa, false});
    AttentionInputs inputs = inputs_of(x, x, x);
    const Results full = run(model, inputs);
    inputs.key_lengths = lengths.view();
    const Results results = run(model, inputs);
    CHECK(same_bits(rows_of(results.output, 1, 1), rows_of(full.output, 1, 1)));
    for (std::int64_t i = 0; i < 40; ++i) {
      CHECK(results.output.data()[i] == random_weights(config, 29).output_bias.data()[i % 8]);
    }
    const Tensor no_rows({2, 0, 8}), no_batch({0, 5, 8});
    CHECK(run(model, inputs_of(no_rows, x, x), {true, true}).output.size() == 0);
    CHECK(run(model, inputs_of(no_rows, no_rows, no_rows)).output.size() == 0);
    CHECK(run(model, inputs_of(no_batch, no_batch, no_batch), {true, true}).output.size() == 0);
  }
}
