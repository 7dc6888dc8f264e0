// C10: how many threads there are, however many sessions.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"
#include "process_threads.hpp"

using namespace headwise;

namespace {

std::vector<Session> sessions_of(const LargeLayer& layer, const SessionOptions& options, int count) {
  std::vector<Session> sessions;
  for (int s = 0; s < count; ++s) sessions.emplace_back(layer.model, options);
  return sessions;
}

// The most threads there are beside those that were there before, when each of `callers` has run 3 sessions.
std::size_t threads_of(const LargeLayer& layer, const SessionOptions& options, int callers) {
  const std::size_t before = thread_count();
  std::vector<std::thread> all;
  std::atomic<int> arrived{0}, left{0};
  for (int c = 0; c < callers; ++c) {
    all.emplace_back([&] {
      for (Session& session : sessions_of(layer, options, 3)) CHECK(layer.run_right(session));
      ++arrived;
      while (left == 0) std::this_thread::yield();
    });
  }
  while (arrived < callers) std::this_thread::yield();
  const std::size_t now = thread_count();
  left = 1;
  for (std::thread& one : all) one.join();
  return now - before;
}

}  // namespace

TEST_CASE("C10: sessions of one thread share its team") {
  std::thread([] {
    const LargeLayer layer;
    const std::size_t before = thread_count();
    std::vector<Session> sessions = sessions_of(layer, {.threads = 3}, 8);
    CHECK(has_threads(before));
    for (Session& session : sessions) CHECK(layer.run_right(session));
    CHECK(has_threads(before + 2));
    for (const int threads : {3, 1, 3, 1}) CHECK(layer.run_right({.threads = threads}));
    CHECK(has_threads(before + 2));
  }).join();
}

TEST_CASE("C10: no more threads than callers times the threads of a session, or with an executor callers and its own") {
  const LargeLayer layer;
  const std::size_t alone = thread_count();
  CHECK(threads_of(layer, {.threads = 3}, 8) == 8 * 3);
  CHECK(has_threads(alone));  // the teams of callers that have ended take a moment to end
  const auto executor = std::make_shared<Executor>(3);
  CHECK(threads_of(layer, {.executor = executor}, 8) == 8);
}
