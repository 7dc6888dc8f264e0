// EncoderInputs::cancel, sessions that are busy, and calls that fail.
#include <doctest/doctest.h>

#include <thread>

#include "expect_error.hpp"
#include "models.hpp"
#include "test_allocator.hpp"

using namespace headwise;

TEST_CASE("cancel: a flag that is set before the call ends it before anything is written") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens({40, 7}, 50);
  std::atomic<bool> flag{true};
  EncoderInputs inputs = tokens.inputs();
  inputs.cancel = &flag;
  EncoderResults results(encoder.config(), tokens);
  EncoderSession session(encoder, {.threads = 2});
  expect_error(ErrorCode::cancelled, {"cancelled"}, [&] { session.run(inputs, results.outputs()); });
  CHECK(results.states.data()[0] == EncoderResults::unwritten);
  flag = false;
  session.run(inputs, results.outputs());
  CHECK(equal_bits(results, run(encoder, tokens)));
}

// The call sets its own flag: that lies where the first layer's attention goes, whose weights are all 1 for sequences
// of one token.
TEST_CASE("cancel: a call ends between its steps on every schedule") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens(std::vector<std::int64_t>(300, 1), 50);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const int threads : {1, 2}) {
      CAPTURE(int(schedule));
      CAPTURE(threads);
      EncoderResults results(encoder.config(), tokens);
      std::fill_n(results.attention.data(), results.attention.size(), 0.0F);
      EncoderInputs inputs = tokens.inputs();
      // 1.0F is 0x3F800000: its highest byte is a flag that is set.
      inputs.cancel =
          reinterpret_cast<const std::atomic<bool>*>(static_cast<const char*>(results.attention.view().data) + 3);
      EncoderSession session(encoder, {.threads = threads, .schedule = schedule});
      expect_error(ErrorCode::cancelled, {"cancelled"}, [&] { session.run(inputs, results.outputs()); });
      CHECK(results.hidden.data()[results.hidden.size() - 1] == EncoderResults::unwritten);
      inputs.cancel = nullptr;
      session.run(inputs, results.outputs());
      CHECK(equal_bits(results, run(encoder, tokens)));
    }
  }
}

TEST_CASE("busy: a second thread is refused while a call is at work, and a call that failed gives the session back") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens({40, 7}, 50);
  TestAllocator allocator;
  std::atomic<bool> inside{false}, refused{false};
  allocator.on_allocate = [&] {
    inside = true;
    while (!refused) std::this_thread::yield();
  };
  EncoderResults first(encoder.config(), tokens), second(encoder.config(), tokens);
  EncoderSession session(encoder, {.threads = 1, .allocator = allocator.get()});
  std::thread other([&] { session.run(tokens.inputs(), first.outputs()); });
  while (!inside) std::this_thread::yield();
  expect_error(ErrorCode::busy, {"at work for another thread"},
               [&] { session.run(tokens.inputs(), second.outputs()); });
  CHECK(session.explain(tokens.inputs(), second.outputs()).threads == 1);
  refused = true;
  other.join();
  expect_error(ErrorCode::invalid_argument, {"token_ids"}, [&] { session.run({}, second.outputs()); });
  session.run(tokens.inputs(), second.outputs());
  CHECK(equal_bits(first, second));
}

TEST_CASE("memory: a session whose allocator fails says so and works again later") {
  const ModelFolder folder;
  const Encoder encoder = folder.load();
  const Tokens tokens({40, 7}, 50);
  TestAllocator allocator;
  {
    EncoderSession session(encoder, {.threads = 2, .allocator = allocator.get()});
    EncoderResults results(encoder.config(), tokens);
    for (const int after : {0, 1}) {
      allocator.fail_after = after;
      expect_error(ErrorCode::out_of_memory, {}, [&] { session.run(tokens.inputs(), results.outputs()); });
    }
    allocator.fail_after = -1;
    session.run(tokens.inputs(), results.outputs());
    CHECK(equal_bits(results, run(encoder, tokens)));
  }
  CHECK(allocator.held() == 0);
  CHECK_FALSE(allocator.wrong());
}
