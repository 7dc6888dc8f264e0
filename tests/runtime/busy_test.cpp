// A session that is at work refuses a second call at once and goes on undisturbed. The first call waits inside its
// allocator until the others have been refused.
#include <doctest/doctest.h>

#include <thread>

#include "cached_calls.hpp"
#include "expect_error.hpp"
#include "headwise/profile.hpp"
#include "test_allocator.hpp"

using namespace headwise;

TEST_CASE("busy: run, append and profile of a second thread are refused, explain is not") {
  Random random(1);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24});
  const AttentionInputs inputs = inputs_of(x, x, x);
  Results first = make_results(model, inputs), second = make_results(model, inputs);
  TestAllocator allocator;
  std::atomic<bool> inside{false}, refused{false};
  allocator.on_allocate = [&] {
    inside = true;
    while (!refused) std::this_thread::yield();
  };
  Session session(model, {.threads = 1, .allocator = allocator.get()});
  std::thread other([&] { session.run(inputs, first.outputs()); });
  while (!inside) std::this_thread::yield();
  KvCache cache(model.config(), {.batch = 2, .capacity = 9});
  const auto refuse = [](const auto& call) { expect_error(ErrorCode::busy, {"at work for another thread"}, call); };
  refuse([&] { session.run(inputs, second.outputs()); });
  refuse([&] { session.profile(inputs, second.outputs(), {}); });
  refuse([&] { session.append(cache, inputs); });
  CHECK(session.explain(inputs, second.outputs()).threads == 1);
  CHECK(cache.length(0) == 0);
  CHECK(second.output.data()[0] == unwritten);
  refused = true;
  other.join();
  CHECK(same_bits(first.output, run(model, inputs).output));
  session.run(inputs, second.outputs());
  CHECK(same_bits(first.output, second.output));
}

TEST_CASE("busy: a call that fails gives the session back") {
  Random random(2);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24});
  const AttentionInputs inputs = inputs_of(x, x, x);
  Results results = make_results(model, inputs);
  Session session(model);
  const auto refuse = [](const auto& call) { expect_error(ErrorCode::invalid_argument, {}, call); };
  KvCache cache(model.config(), {.batch = 2, .capacity = 2});
  refuse([&] { session.run({}, results.outputs()); });
  refuse([&] { session.append(cache, inputs); });
  refuse([&] { session.profile(inputs, results.outputs(), {.max_spans = -1}); });
  refuse([&] { session.profile({}, results.outputs(), {}); });
  session.run(inputs, results.outputs());
}

TEST_CASE("busy: threads that fight for a session each get it or are told") {
  Random random(3);
  const MultiHeadAttention model(random_weights(grouped_config(), 1));
  const Tensor x = random_tensor(random, {2, 9, 24});
  const AttentionInputs inputs = inputs_of(x, x, x);
  const Results expected = run(model, inputs);
  Session session(model, {.threads = 1});
  std::atomic<int> wrong{0}, done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int call = 0; call < 200; ++call) {
        Results results = make_results(model, inputs);
        try {
          session.run(inputs, results.outputs());
          done += 1;
          wrong += same_bits(results.output, expected.output) ? 0 : 1;
        } catch (const Error& error) {
          wrong += error.code() == ErrorCode::busy ? 0 : 1;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(done > 0);
}
