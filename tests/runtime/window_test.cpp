// A17 and its kind: which keys a sliding window leaves, at every size and place.
#include "bug_case.hpp"
#include "isas.hpp"
#include "oracle.hpp"

using namespace headwise;

namespace {

// What the header says, in its own words: both ends included, −1 open.
bool in_window(const AttentionWindow& window, bool causal, std::int64_t distance) {
  const bool left = window.left < 0 || distance >= -window.left;
  const bool right = window.right < 0 || distance <= window.right;
  return left && right && (!causal || distance <= 0);
}

struct WindowCall {
  Tensor query, key, value;
  AttentionInputs inputs;
  std::int64_t offset = 0;

  WindowCall(std::int64_t queries, std::int64_t keys, Random& random)
      : query(random_tensor(random, {1, 1, queries, 5})),
        key(random_tensor(random, {1, 1, keys, 5})),
        value(random_tensor(random, {1, 1, keys, 3})),
        inputs(inputs_of(query, key, value)) {}

  double error(const Tensor& output) const {
    OracleHead head;
    head.queries = query.shape()[2];
    head.keys = key.shape()[2];
    head.head_dim = 5;
    head.value_dim = 3;
    head.scale = double(1 / std::sqrt(5.0F));
    head.query = [&](auto i, auto c) { return double(query.data()[i * 5 + c]); };
    head.key = [&](auto j, auto c) { return double(key.data()[j * 5 + c]); };
    head.value = [&](auto j, auto c) { return double(value.data()[j * 3 + c]); };
    head.bias = [&](auto i, auto j) {
      const bool live = in_window(inputs.window, inputs.causal, j - i - offset);
      return live ? 0 : -std::numeric_limits<double>::infinity();
    };
    const OracleResult expected = oracle(head);
    UnitError all;
    for (std::size_t i = 0; i < expected.output.size(); ++i) {
      all.add(double(output.data()[i]), expected.output[i], expected.unit[i]);
    }
    return all.max;
  }
};

void check_window(WindowCall& call, const AttentionWindow& window, const std::string& isa) {
  CAPTURE(isa);
  CAPTURE(window.left);
  CAPTURE(window.right);
  CAPTURE(call.offset);
  call.inputs.window = window;
  for (const bool causal : {false, true}) {
    CAPTURE(causal);
    call.inputs.causal = causal;
    CHECK(call.error(run(heads_model(call.inputs, isa), call.inputs).output) <= 8);
  }
}

}  // namespace

TEST_CASE("A17: a window of two keys counts the query's own, {2, 0} looks back two") {
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    CaseCall call("A17");
    call.take_heads();
    call.take_masks();
    const MultiHeadAttention model = heads_model(call.inputs, isa);
    for (const bool causal : {true, false}) {
      call.inputs.causal = causal;  // the right side of 0 is causal already
      call.inputs.window = {1, 0};
      check_expected(call.json, "window2_counts_self", run(model, call.inputs).output);
      call.inputs.window = {2, 0};
      check_expected(call.json, "window2_looks_back_2", run(model, call.inputs).output);
    }
  }
}

TEST_CASE("A17: windows of every size around the length, on both sides") {
  Random random(17);
  for (const std::string& isa : running_isas()) {
    for (const std::int64_t length : {1, 2, 5, 9}) {
      WindowCall call(length, length, random);
      for (std::int64_t left = -1; left <= length + 1; ++left) {
        for (std::int64_t right = -1; right <= length + 1; ++right) check_window(call, {left, right}, isa);
      }
    }
  }
}

TEST_CASE("A17: windows go by the positions that offsets and alignments give") {
  Random random(18);
  for (const std::string& isa : running_isas()) {
    for (const auto& [queries, keys] : {std::pair{3, 7}, {7, 3}, {1, 6}}) {
      WindowCall call(queries, keys, random);
      Tensor offsets(DType::i64, {1});
      for (std::int64_t offset = -4; offset <= keys + 2; ++offset) {
        call.offset = offsets.data<std::int64_t>()[0] = offset;
        call.inputs.query_offsets = offsets.view();
        for (const AttentionWindow& window : {AttentionWindow{0, 0}, {2, 0}, {0, 2}, {1, 1}, {-1, 1}, {1, -1}}) {
          check_window(call, window, isa);
        }
      }
    }
  }
}

TEST_CASE("A17: a window at and past the length, however large, is no window, to the bit") {
  Random random(19);
  for (const std::string& isa : running_isas()) {
    CAPTURE(isa);
    for (const auto& [queries, keys] : {std::pair{40, 40}, {200, 200}, {2, 1100}}) {
      WindowCall call(queries, keys, random);
      call.inputs.causal_alignment = CausalAlignment::lower_right;
      const MultiHeadAttention model = heads_model(call.inputs, isa);
      const Results expected = run(model, call.inputs);
      for (const std::int64_t size : {std::int64_t(keys), std::int64_t(keys) + 1, std::int64_t{1} << 40, INT64_MAX}) {
        CAPTURE(size);
        call.inputs.window = {size, size};
        CHECK(same_bits(run(model, call.inputs).output, expected.output));
      }
    }
  }
}

TEST_CASE("A17: windows over several blocks of keys and queries") {
  Random random(20);
  for (const std::string& isa : running_isas()) {
    WindowCall call(150, 150, random);
    for (const std::int64_t size : {0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 149, 150}) {
      check_window(call, {size, 0}, isa);
      check_window(call, {size, 7}, isa);
      check_window(call, {-1, size}, isa);
    }
  }
}
