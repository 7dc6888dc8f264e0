// A34 and its kind: a NaN reaches exactly the results that depend on it, wherever it stands and however many there are.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "calls.hpp"
#include "isas.hpp"

using namespace headwise;

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

// Two queries of 1 over n keys 0.25·j, values of three columns.
struct Keys {
  Tensor query, key, value;
  explicit Keys(std::int64_t n) : query(filled({1, 1, 2, 1}, 1)), key({1, 1, n, 1}), value({1, 1, n, 3}) {
    for (std::int64_t j = 0; j < n; ++j) key.data()[j] = 0.25F * float(j % 40);
    for (std::int64_t i = 0; i < 3 * n; ++i) value.data()[i] = float(i % 7) - 3;
  }
  AttentionInputs inputs() const { return inputs_of(query, key, value); }
};

bool all_nan(const float* row, std::int64_t count) {
  return std::all_of(row, row + count, [](float x) { return std::isnan(x); });
}

void expect_key_nan(const MultiHeadAttention& model, std::int64_t n, const std::vector<std::int64_t>& at) {
  CAPTURE(n);
  CAPTURE(at.front());
  CAPTURE(at.size());
  Keys keys(n);
  for (const std::int64_t j : at) keys.key.data()[j] = j % 2 == 0 ? nan_value : -nan_value;
  Results results = run(model, keys.inputs(), {true, false});
  CHECK(all_nan(results.output.data(), 6));
  CHECK(all_nan(results.attention.data(), 2 * n));
}

// NaN in the float mask of the first query alone: the second keeps every bit.
void expect_mask_nan(const MultiHeadAttention& model, std::int64_t n, std::int64_t at) {
  CAPTURE(n);
  CAPTURE(at);
  const Keys keys(n);
  const Results clean = run(model, keys.inputs());
  Tensor mask({2, n});
  mask.data()[at] = nan_value;
  AttentionInputs inputs = keys.inputs();
  inputs.attention_mask = mask.view();
  const Results results = run(model, inputs);
  CHECK(all_nan(results.output.data(), 3));
  CHECK(std::memcmp(results.output.data() + 3, clean.output.data() + 3, 12) == 0);
}

// NaN in one column of one value: the other columns keep every bit.
void expect_value_nan(const MultiHeadAttention& model, std::int64_t n, std::int64_t at) {
  CAPTURE(n);
  CAPTURE(at);
  Keys keys(n);
  const Results clean = run(model, keys.inputs());
  keys.value.data()[at * 3 + 1] = nan_value;
  const Results results = run(model, keys.inputs());
  for (std::int64_t i = 0; i < 6; ++i) {
    const float actual = results.output.data()[i];
    const bool right = i % 3 == 1 ? std::isnan(actual) : actual == clean.output.data()[i];
    CHECK(right);
  }
}

}  // namespace

TEST_CASE("A34: NaN at every position of 1 to 35 keys") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = heads_model(Keys(1).inputs(), isa);
    for (std::int64_t n = 1; n <= 35; ++n) {
      for (std::int64_t p = 0; p < n; ++p) {
        expect_key_nan(model, n, {p});
        expect_mask_nan(model, n, p);
        expect_value_nan(model, n, p);
      }
    }
  }
}

TEST_CASE("A34: two, three and four NaNs") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = heads_model(Keys(1).inputs(), isa);
    for (std::int64_t n = 2; n <= 35; ++n) {
      for (std::int64_t p = 0; p < n; ++p) {
        expect_key_nan(model, n, {p, (p + 1) % n});
        expect_key_nan(model, n, {p, (p + n / 2) % n, n - 1});
        expect_key_nan(model, n, {p, 0, n / 2, n - 1});
      }
    }
  }
}

TEST_CASE("A34: NaN in any block of many keys") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    const MultiHeadAttention model = heads_model(Keys(1).inputs(), isa);
    for (const std::int64_t p : {0, 1, 63, 64, 191, 192, 193, 383, 384, 399}) {
      expect_key_nan(model, 400, {p});
      expect_mask_nan(model, 400, p);
      expect_value_nan(model, 400, p);
    }
  }
}

TEST_CASE("A08: a NaN query ruins its own row alone, also under a causal mask and at any position of a block") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    Random random(8);
    const Tensor x = random_tensor(random, {1, 1, 40, 5});
    const MultiHeadAttention model = heads_model(inputs_of(x, x, x), isa);
    for (std::int64_t row = 0; row < 40; ++row) {
      CAPTURE(row);
      Tensor query = x;
      query.data()[row * 5 + row % 5] = nan_value;
      AttentionInputs inputs = inputs_of(query, x, x);
      inputs.causal = true;
      AttentionInputs clean_inputs = inputs_of(x, x, x);
      clean_inputs.causal = true;
      const Results clean = run(model, clean_inputs);
      Results results = run(model, inputs);
      CHECK(all_nan(results.output.data() + row * 5, 5));
      std::copy_n(clean.output.data() + row * 5, 5, results.output.data() + row * 5);
      CHECK(same_bits(results.output, clean.output));
    }
  }
}

TEST_CASE("A07: NaN and infinity in dead keys and values change no bit, by whichever mask they are dead") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    Random random(7);
    const Tensor query = random_tensor(random, {1, 1, 9, 6}), key = random_tensor(random, {1, 1, 30, 6});
    Tensor lengths(DType::i64, {1}), keep(DType::boolean, {30}), bias({1, 30});
    lengths.data<std::int64_t>()[0] = 21;
    for (std::int64_t j = 0; j < 30; ++j) keep.data<bool>()[j] = j < 21;
    for (std::int64_t j = 21; j < 30; ++j) bias.data()[j] = -std::numeric_limits<float>::infinity();
    Tensor poisoned = key;
    for (std::int64_t i = 21 * 6; i < 30 * 6; ++i)
      poisoned.data()[i] = i % 2 == 0 ? nan_value : std::numeric_limits<float>::infinity();
    for (int kind = 0; kind < 5; ++kind) {
      CAPTURE(kind);
      AttentionInputs inputs = inputs_of(query, key, key);
      if (kind == 0) inputs.key_lengths = lengths.view();
      if (kind == 1) inputs.attention_mask = keep.view();
      if (kind == 2) inputs.key_padding_mask = keep.view();
      if (kind == 3) inputs.attention_mask = bias.view();
      if (kind == 4) inputs.attention_mask = slice(bias.view(), 1, 0, 21);  // a short last axis
      inputs.attention_mask_meaning = inputs.key_padding_meaning = BooleanMask::keep;
      const MultiHeadAttention model = heads_model(inputs, isa);
      const Results clean = run(model, inputs);
      inputs.key = inputs.value = poisoned.view();
      CHECK(same_bits(run(model, inputs).output, clean.output));
    }
  }
}

TEST_CASE("live scores that are all −inf: NaN weights, and a log-sum-exp of −inf") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    Tensor query({1, 1, 1, 1}), key({1, 1, 2, 1}), log_sum({1, 1, 1});
    query.data()[0] = 1;
    key.data()[0] = key.data()[1] = -infinity;
    const AttentionInputs inputs = inputs_of(query, key, key);
    const MultiHeadAttention model = heads_model(inputs, isa);
    Results results = make_results(model, inputs, {true, false});
    AttentionOutputs outputs = results.outputs();
    outputs.log_sum_exp = log_sum;
    Session(model).run(inputs, outputs);
    CHECK(log_sum.data()[0] == -infinity);
    CHECK(std::isnan(results.attention.data()[0]));
  }
}
