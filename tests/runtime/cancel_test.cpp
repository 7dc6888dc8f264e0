// AttentionInputs::cancel. Where a call is when it ends is made certain by letting it set its own flag: the flag lies
// in memory that the call writes, and the number written there has a lowest byte of 1.
#include <doctest/doctest.h>

#include <bit>
#include <thread>

#include "cached_calls.hpp"
#include "expect_error.hpp"
#include "headwise/profile.hpp"
#include "turn.hpp"

using namespace headwise;

namespace {

const float flag_number = std::bit_cast<float>(0x3F800001U);  // 1 and a little, on machines of either byte order

const std::atomic<bool>* flag_in(const void* memory) {
  static_assert(std::endian::native == std::endian::little && sizeof(std::atomic<bool>) == 1);
  return static_cast<const std::atomic<bool>*>(memory);
}

template <class Call>
void expect_cancelled(const Call& call) {
  expect_error(ErrorCode::cancelled, {"cancelled", "incomplete"}, call);
}

// Every query sees key 0 alone, so that its context is value row 0, to the bit.
struct SelfEndingCall {
  Tensor x = filled({3, 2, 400, 8}, 0.5F), values = filled({3, 2, 400, 8}, flag_number), lengths{DType::i64, {3}};
  AttentionInputs inputs = inputs_of(x, x, values);

  SelfEndingCall() {
    std::fill_n(lengths.data<std::int64_t>(), 3, 1);
    inputs.key_lengths = lengths.view();
  }
};

std::int64_t count_unwritten(const Tensor& tensor) {
  return std::count(tensor.data(), tensor.data() + tensor.size(), unwritten);
}

}  // namespace

TEST_CASE("cancel: a flag that is set before the call ends it before anything is written") {
  Random random(1);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24});
  std::atomic<bool> flag{true};
  AttentionInputs inputs = inputs_of(x, x, x);
  inputs.cancel = &flag;
  Session session(model, {.threads = 2});
  Results results = make_results(model, inputs, {true, true});
  expect_cancelled([&] { session.run(inputs, results.outputs()); });
  expect_cancelled([&] { session.profile(inputs, results.outputs(), {}); });
  for (const Tensor* tensor : {&results.output, &results.attention, &results.average}) {
    CHECK(count_unwritten(*tensor) == tensor->size());
  }
  flag = false;
  session.run(inputs, results.outputs());
  inputs.cancel = nullptr;
  CHECK(same_bits(results.output, run(model, inputs).output));
}

TEST_CASE("cancel: a call ends between units of work, on every ISA and schedule") {
  const SelfEndingCall call;
  for (const std::string& isa : running_isas()) {
    for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
      for (const int threads : {1, 2}) {
        CAPTURE(isa);
        CAPTURE(int(schedule));
        CAPTURE(threads);
        AttentionInputs inputs = call.inputs;
        const MultiHeadAttention model = heads_model(inputs, isa);
        Session session(model, {threads, schedule});
        Results results = make_results(model, inputs);
        inputs.cancel = flag_in(results.output.data());
        results.output.data()[0] = 0;  // the flag is not set yet
        expect_cancelled([&] { session.run(inputs, results.outputs()); });
        const std::int64_t left = count_unwritten(results.output);
        CHECK(left > (threads == 1 ? results.output.size() / 2 : 0));
        CHECK(left < results.output.size());
      }
    }
  }
}

TEST_CASE("cancel: what one thread sums for all heads or blocks ends within them") {
  const SelfEndingCall call;
  AttentionInputs inputs = call.inputs;
  const MultiHeadAttention model = heads_model(inputs, "auto");
  Session session(model, {.threads = 1});
  Results results = make_results(model, inputs);
  Tensor sums = filled({3, 2, 400}, unwritten);
  AttentionOutputs outputs = results.outputs();
  outputs.column_sums = sums.mutable_view();
  inputs.cancel = flag_in(results.output.data());
  results.output.data()[0] = 0;
  expect_cancelled([&] { session.run(inputs, outputs); });
  CHECK(count_unwritten(results.output) > results.output.size() - 100 * 8);  // a block of queries of the first head
  CHECK(count_unwritten(sums) == sums.size());
}

TEST_CASE("cancel: a repeated call gives its bits again after one that was cancelled") {
  Random random(2);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {4, 40, 24});
  std::atomic<bool> set{true}, clear{false};
  const std::vector<const std::atomic<bool>*> flags{nullptr, &set, &clear, &set, nullptr, &clear};
  AttentionInputs inputs = inputs_of(x, x, x);
  const Results expected = run(model, inputs, {true, false});
  for (const int threads : {1, 2}) {
    Session session(model, {.threads = threads});
    for (const std::atomic<bool>* flag : flags) {
      Results results = make_results(model, inputs, {true, false});
      inputs.cancel = flag;
      if (flag == &set) expect_cancelled([&] { session.run(inputs, results.outputs()); });
      if (flag == &set) continue;
      session.run(inputs, results.outputs());
      CHECK(same_bits(results.output, expected.output));
      CHECK(same_bits(results.attention, expected.attention));
    }
  }
}

TEST_CASE("cancel: a product in pieces has the bits of one in one go") {
  Random random(3);
  AttentionConfig config;
  config.model_dim = 1024;  // 128 rows of 1024 to 3072 features are several pieces
  config.num_heads = 16;
  const AttentionWeights weights = random_weights(config, 1);
  const Tensor x = random_tensor(random, {1, 130, 1024});
  std::atomic<bool> flag{false};
  for (const std::string& isa : running_isas()) {
    if (isa == "reference") continue;  // its attention is slow, and its products are those of sse2
    const MultiHeadAttention model(weights, {.isa = isa});
    AttentionInputs inputs = inputs_of(x, x, x);
    const Results expected = run(model, inputs, {}, {2, Schedule::wide});
    inputs.cancel = &flag;
    for (const int threads : {1, 2, 3}) {
      CAPTURE(isa);
      CAPTURE(threads);
      CHECK(same_bits(run(model, inputs, {}, {threads, Schedule::wide}).output, expected.output));
    }
  }
}

TEST_CASE("cancel: lengths of a cache stay, and the call can be made again") {
  const Tensor query = filled({1, 1, 3, 4}, 0.25F), values = filled({1, 1, 3, 4}, flag_number);
  Random random(4);
  const Tensor before = random_tensor(random, {1, 1, 6, 4});
  for (const bool circular : {false, true}) {
    CAPTURE(circular);
    AttentionInputs inputs = inputs_of(query, query, values);
    const MultiHeadAttention model = heads_model(inputs, "auto");
    const auto filled_cache = [&] {
      KvCache cache(model.config(), {.batch = 1, .capacity = circular ? 8 : 9, .circular = circular});
      cache.append(before, before);
      return cache;
    };
    KvCache cache = filled_cache(), other = filled_cache();
    Session session(model, {.threads = 1});
    Results results = make_results(model, inputs);
    inputs.causal = true;
    inputs.cache = &cache;
    // The value of the first new token in slot 6: set as soon as it is appended.
    inputs.cancel = flag_in(static_cast<const float*>(cache.values().data) + std::int64_t{6} * 4);
    expect_cancelled([&] { session.run(inputs, results.outputs()); });
    CHECK(count_unwritten(results.output) == results.output.size());
    CHECK(cache.length(0) == 6);
    CHECK(cache.oldest(0) == (circular ? 1 : 0));  // the third new token has taken the slot of token 0
    inputs.cancel = nullptr;
    session.run(inputs, results.outputs());
    CHECK(cache.length(0) == 9);
    inputs.cache = &other;
    CHECK(same_bits(results.output, run(model, inputs).output));
    CHECK(cache.oldest(0) == other.oldest(0));
  }
}

TEST_CASE("cancel: before it begins, a call takes nothing from a circular cache") {
  const Tensor x = filled({1, 1, 3, 4}, 0.25F);
  AttentionInputs inputs = inputs_of(x, x, x);
  const MultiHeadAttention model = heads_model(inputs, "auto");
  KvCache cache(model.config(), {.batch = 1, .capacity = 4, .circular = true});
  cache.append(x, x);
  std::atomic<bool> flag{true};
  Results results = make_results(model, inputs);
  inputs.cache = &cache;
  inputs.cancel = &flag;
  Session session(model);
  expect_cancelled([&] { session.run(inputs, results.outputs()); });
  CHECK(cache.length(0) == 3);
  CHECK(cache.oldest(0) == 0);
}

TEST_CASE("cancel: a cancelled append leaves the cache as it was") {
  Random random(5);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {1, 4, 24});
  std::atomic<bool> flag{true};
  KvCache cache(model.config(), {.batch = 1, .capacity = 8});
  Session session(model);
  AttentionInputs inputs;
  inputs.key = inputs.value = x.view();
  inputs.cancel = &flag;
  expect_cancelled([&] { session.append(cache, inputs); });
  CHECK(cache.length(0) == 0);
  flag = false;
  session.append(cache, inputs);
  CHECK(cache.length(0) == 4);
}

TEST_CASE("cancel: from another thread, while the call runs") {
  const SelfEndingCall call;
  AttentionInputs inputs = call.inputs;
  inputs.key_lengths = {};
  const MultiHeadAttention model = heads_model(inputs, "reference");
  Session session(model, {.threads = 2});
  Results results = make_results(model, inputs);
  bool cancelled = false;
  for (int attempt = 0; attempt < 100 && !cancelled; ++attempt) {
    std::atomic<bool> flag{false};
    inputs.cancel = &flag;
    std::thread other([&] { flag = true; });
    try {
      session.run(inputs, results.outputs());
    } catch (const Error& error) {
      cancelled = error.code() == ErrorCode::cancelled;
    }
    other.join();
  }
  CHECK(cancelled);
}

TEST_CASE("cancel: a flag that was seen stays seen, whatever becomes of it") {
  std::atomic<bool> flag{false};
  runtime::Stop stop;
  CHECK(!stop.is_set());
  stop.begin(&flag);
  CHECK(!stop.is_set());
  flag = true;
  CHECK(stop.is_set());
  flag = false;
  CHECK(stop.is_set());
  stop.begin(&flag);
  CHECK(!stop.is_set());
}
