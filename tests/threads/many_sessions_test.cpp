// C02, C10: many sessions on one model at once, the bits of each those of a run alone. Built with TSan as well (preset
// tsan).
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "headwise/headwise.hpp"
#include "random.hpp"

using namespace headwise;

namespace {

constexpr int users = 8, lengths = 17;
constexpr std::int64_t width = 64;

int runs() {
  const char* wanted = std::getenv("HEADWISE_TEST_RUNS");
  return wanted == nullptr ? 200 : std::atoi(wanted);
}

// A query for each length, and what one thread makes of it.
struct Calls {
  MultiHeadAttention model;
  std::vector<Tensor> queries, expected;

  // `batch` of 1 stays below the size that is worth a second thread, 64 does not.
  explicit Calls(std::int64_t batch) : model(random_weights({.model_dim = width, .num_heads = 4}, 2)) {
    Random random(2);
    Session session(model, {.threads = 1});
    for (std::int64_t length = 1; length <= lengths; ++length) {
      queries.emplace_back(Dims{batch, length, width});
      random.fill(queries.back().data(), queries.back().size(), -1, 1);
      expected.emplace_back(queries.back().shape());
      session.run(inputs(queries.size() - 1), {.output = expected.back()});
    }
  }
  AttentionInputs inputs(std::size_t i) const { return {.query = queries[i], .key = queries[i], .value = queries[i]}; }
  bool run_right(Session& session, std::size_t i, Tensor& y) const {
    session.run(inputs(i), {.output = y});
    return std::memcmp(y.data(), expected[i].data(), sizeof(float) * static_cast<std::size_t>(y.size())) == 0;
  }
};

// `count` runs of lengths in an order of the user's own.
int wrong_runs(const Calls& calls, const SessionOptions& options, std::uint64_t seed, int count) {
  Session session(calls.model, options);
  Random random(seed);
  int wrong = 0;
  for (int run = 0; run < count; ++run) {
    const auto i = static_cast<std::size_t>(random.below(lengths));
    Tensor y(calls.queries[i].shape());
    wrong += calls.run_right(session, i, y) ? 0 : 1;
  }
  return wrong;
}

int wrong_runs_of_all(const Calls& calls, const SessionOptions& options, int count) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int user = 0; user < users; ++user) {
    all.emplace_back([&, user] { wrong += wrong_runs(calls, options, 100 + std::uint64_t(user), count); });
  }
  for (std::thread& one : all) one.join();
  return wrong;
}

}  // namespace

TEST_CASE("C02: small calls of 8 threads on one model") {
  const Calls calls(1);
  CHECK(wrong_runs_of_all(calls, {.threads = 1}, runs()) == 0);
  CHECK(wrong_runs_of_all(calls, {.threads = 2}, runs()) == 0);
}

TEST_CASE("C02: calls of 8 threads on one model that share an executor") {
  const Calls calls(64);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const int threads : {2, 3}) {
      const auto executor = std::make_shared<Executor>(threads);
      CHECK(wrong_runs_of_all(calls, {.schedule = schedule, .executor = executor}, runs() / 4) == 0);
    }
  }
}

TEST_CASE("C02: calls of 8 threads on one model, each with a team of OpenMP") {
  const Calls calls(64);
  CHECK(wrong_runs_of_all(calls, {.threads = 2, .schedule = Schedule::wide}, runs() / 4) == 0);
  CHECK(wrong_runs_of_all(calls, {.threads = 3, .schedule = Schedule::deep}, runs() / 4) == 0);
}
