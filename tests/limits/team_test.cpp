#include "team.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

using namespace headwise::limits;

TEST_CASE("team: every thread works as often as the others, and their work is added") {
  std::atomic<std::int64_t> done[3]{};
  const auto sleep = [&](int thread, std::int64_t repeats) {
    done[thread] += repeats;
    std::this_thread::sleep_for(std::chrono::microseconds(500) * repeats);
    return 2000.0 * double(repeats);
  };
  const double rate = sustained_rate(3, 0.015, sleep);
  CHECK(done[0] == done[1]);
  CHECK(done[0] == done[2]);
  // A sleep lasts at least as long as asked for, so this bound holds however busy the machine is.
  CHECK(rate > 0);
  CHECK(rate <= 3 * 2000 / 500e-6);
}

TEST_CASE("team: what a thread throws reaches the caller") {
  const auto throwing = [](int thread) {
    if (thread == 1) throw std::runtime_error("thread 1");
  };
  CHECK_THROWS_AS(on_each_thread(2, throwing), std::runtime_error);
}
