// A session keeps the plan of its last call. Whatever the calls before it were, a call gives what it gives in a session
// of its own, and refuses what it refuses there.
#include <doctest/doctest.h>

#include "calls.hpp"
#include "expect_error.hpp"
#include "headwise/kv_cache.hpp"

using namespace headwise;

namespace {

AttentionInputs inputs_from(const Tensor& query, const Tensor& key, const Tensor& value) {
  return {.query = query, .key = key, .value = value};
}

bool same_numbers(const Tensor& a, const Tensor& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(float) * std::size_t(a.size())) == 0);
}

void check_like_new(const MultiHeadAttention& model, Session& session, const AttentionInputs& inputs, Want want = {}) {
  Results kept = make_results(model, inputs, want);
  session.run(inputs, kept.outputs());
  Results fresh = run(model, inputs, want);
  CHECK(same_numbers(kept.output, fresh.output));
  CHECK(same_numbers(kept.attention, fresh.attention));
  CHECK(same_numbers(kept.average, fresh.average));
}

// Pairs of calls that differ in one thing, in both orders.
void check_pairs(const MultiHeadAttention& model, const std::vector<AttentionInputs>& calls) {
  for (const AttentionInputs& first : calls) {
    for (const AttentionInputs& second : calls) {
      Session session(model, {.threads = 1});
      for (const AttentionInputs& inputs : {first, second, second, first}) check_like_new(model, session, inputs);
    }
  }
}

}  // namespace

TEST_CASE("last call: other tensors, shapes, sharing, options and lists give what a new session gives") {
  Random random(1);
  const Tensor x = random_tensor(random, {2, 9, 24}), y = random_tensor(random, {2, 9, 24});
  const Tensor longer = random_tensor(random, {2, 11, 24}), single = random_tensor(random, {18, 24});
  Tensor few(DType::i64, {2}), many(DType::i64, {2});
  std::fill_n(few.data<std::int64_t>(), 2, 3);
  std::fill_n(many.data<std::int64_t>(), 2, 8);
  std::vector<AttentionInputs> calls{inputs_from(x, x, x),
                                     inputs_from(y, y, y),
                                     inputs_from(x, y, y),
                                     inputs_from(x, y, x),
                                     inputs_from(x, x, y),
                                     inputs_from(x, longer, longer),
                                     inputs_from(longer, longer, longer),
                                     inputs_from(single, single, single)};
  calls.push_back(calls[0]);
  calls.back().causal = true;
  calls.push_back(calls[0]);
  calls.back().window = {2, 1};
  calls.push_back(calls[0]);
  calls.back().key_lengths = few;
  calls.push_back(calls[0]);
  calls.back().key_lengths = many;
  check_pairs(MultiHeadAttention(random_weights(grouped_config(), 1)), calls);
}

TEST_CASE("last call: strides of the caller's heads and outputs that come and go") {
  Random random(2);
  const Tensor x = random_tensor(random, {2, 4, 9, 6}), y = random_tensor(random, {2, 4, 9, 6});
  TensorView turned = x;
  std::swap(turned.strides[2], turned.strides[3]);
  turned.shape[2] = 6;
  turned.shape[3] = 6;
  TensorView square = x;
  square.shape[2] = 6;
  const MultiHeadAttention model = MultiHeadAttention::without_projections(heads_config(x, x, x));
  check_pairs(model, {inputs_from(x, x, x), inputs_from(y, x, y), AttentionInputs{turned, turned, turned},
                      AttentionInputs{square, square, square}});
  Session session(model);
  for (const Want want : {Want{}, Want{true, false}, Want{true, true}, Want{}}) {
    check_like_new(model, session, inputs_from(x, x, x), want);
    check_like_new(model, session, inputs_from(y, y, y), want);
  }
}

TEST_CASE("last call: what another call would refuse is refused, and the next good one runs") {
  Random random(3);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  Tensor x = random_tensor(random, {2, 9, 24});
  Session session(model);
  const auto refuse = [&](const AttentionInputs& inputs, const MutableTensorView& output, const char* word) {
    check_like_new(model, session, inputs_from(x, x, x));
    expect_error(ErrorCode::invalid_argument, {word}, [&] { session.run(inputs, {.output = output}); });
    check_like_new(model, session, inputs_from(x, x, x));
  };
  Tensor y(x.shape());
  AttentionInputs inputs = inputs_from(x, x, x);
  refuse(inputs, x, "overlaps");
  refuse(inputs, MutableTensorView(nullptr, DType::f32, x.shape()), "output");
  refuse(inputs, MutableTensorView(y.data<float>() - 0, DType::f16, y.shape(), {216, 24, 0}), "output");
  char* odd = reinterpret_cast<char*>(y.data()) + 1;
  refuse(inputs, MutableTensorView(odd, DType::f32, {2, 9, 24}), "output");
  inputs.query.data = inputs.key.data = inputs.value.data = nullptr;
  refuse(inputs, y, "query");
}

TEST_CASE("last call: appending to a cache between two equal calls changes nothing") {
  Random random(4);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24}), token = random_tensor(random, {3, 1, 24});
  KvCache cache(model.config(), {.batch = 3, .capacity = 4});
  Session session(model);
  check_like_new(model, session, inputs_from(x, x, x));
  session.append(cache, {.key = token, .value = token});
  check_like_new(model, session, inputs_from(x, x, x));
}
