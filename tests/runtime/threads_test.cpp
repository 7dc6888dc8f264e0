// Thread counts: that a session neither disturbs nor is disturbed by the OpenMP around it.
#include <doctest/doctest.h>
#include <omp.h>

#include <thread>

#include "calls.hpp"

using namespace headwise;

namespace {

// A layer that is large enough for several threads (see explain below).
struct LargeLayer {
  MultiHeadAttention model;
  Tensor x;
  AttentionInputs inputs;
  Results expected;

  LargeLayer() : model(random_weights(config(), 1)) {
    Random random(1);
    x = random_tensor(random, {3, 150, 96});
    inputs = inputs_of(x, x, x);
    expected = run(model, inputs, {true, true});
  }
  static AttentionConfig config() {
    AttentionConfig result;
    result.model_dim = 96;
    result.num_heads = 6;
    return result;
  }
  bool right(const Results& results) const {
    return same_bits(results.output, expected.output) && same_bits(results.attention, expected.attention) &&
           same_bits(results.average, expected.average);
  }
  bool run_right(const SessionOptions& options) const { return right(run(model, inputs, {true, true}, options)); }
};

struct OmpSettings {
  int threads = omp_get_max_threads(), dynamic = omp_get_dynamic(), levels = omp_get_max_active_levels();
  bool operator==(const OmpSettings&) const = default;
};

// Sets OpenMP's number of threads for the time of a test.
struct OmpThreads {
  int before = omp_get_max_threads();
  explicit OmpThreads(int threads) { omp_set_num_threads(threads); }
  OmpThreads(const OmpThreads&) = delete;
  OmpThreads& operator=(const OmpThreads&) = delete;
  ~OmpThreads() { omp_set_num_threads(before); }
};

// What the members of a team would start themselves.
std::vector<int> most_inside() {
  std::vector<int> most(3);
#pragma omp parallel num_threads(3)
  most[static_cast<std::size_t>(omp_get_thread_num())] = omp_get_max_threads();
  return most;
}

}  // namespace

TEST_CASE("threads: the layer of these tests is one for several threads") {
  const LargeLayer layer;
  const Session session(layer.model, {4, Schedule::wide});
  Results results = make_results(layer.model, layer.inputs);
  const Explanation plan = session.explain(layer.inputs, results.outputs());
  CHECK(plan.threads == 4);
  CHECK(plan.schedule == "wide");
}

TEST_CASE("C04: the count of a session is its own, whatever OpenMP is set to before and after") {
  const LargeLayer layer;
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    for (const std::pair<int, int>& counts : {std::pair{1, 16}, {16, 1}, {1, 1}, {2, 3}}) {
      const int before = counts.first;
      const int after = counts.second;
      CAPTURE(before);
      CAPTURE(after);
      const OmpThreads first(before);
      Session session(layer.model, {4, schedule});
      const OmpThreads second(after);
      Results results = make_results(layer.model, layer.inputs, {true, true});
      session.run(layer.inputs, results.outputs());
      CHECK(layer.right(results));
    }
  }
}

TEST_CASE("C04: fewer threads than planned arrive when OpenMP may choose") {
  const LargeLayer layer;
  const int before = omp_get_dynamic();
  omp_set_dynamic(1);
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) CHECK(layer.run_right({16, schedule}));
  omp_set_dynamic(before);
}

TEST_CASE("threads: a team of one is all there is when nesting is off inside an inactive region") {
  const LargeLayer layer;
  const int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  CHECK(layer.run_right({4, Schedule::wide}));
  CHECK(layer.run_right({4, Schedule::deep}));
  omp_set_max_active_levels(levels);
}

TEST_CASE("threads: inside somebody's parallel region a session keeps to its thread") {
  const LargeLayer layer;
  std::vector<char> right(3), alone(3);
#pragma omp parallel num_threads(3)
  {
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    Session session(layer.model, {4, t == 1 ? Schedule::deep : Schedule::wide});
    Results results = make_results(layer.model, layer.inputs, {true, true});
    alone[t] = session.explain(layer.inputs, results.outputs()).threads == 1;
    for (int repeat = 0; repeat < 3; ++repeat) session.run(layer.inputs, results.outputs());
    right[t] = layer.right(results);
  }
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(right[t]);
    CHECK(alone[t]);
  }
}

TEST_CASE("threads: OpenMP is set as before after a run, on the calling thread and in its teams") {
  const LargeLayer layer;
  for (const int threads : {1, 2, 4}) {
    const OmpThreads limit(3);
    const OmpSettings before;
    const std::vector<int> inside_before = most_inside();
    CHECK(layer.run_right({threads, Schedule::wide}));
    CHECK(layer.run_right({threads, Schedule::deep}));
    CHECK(OmpSettings() == before);
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    CHECK(team == 3);
    CHECK(most_inside() == inside_before);
  }
}

TEST_CASE("threads: sessions of several threads share one model") {
  const LargeLayer layer;
  std::vector<char> right(4, 1);
  std::vector<std::thread> users;
  for (std::size_t t = 0; t < right.size(); ++t) {
    users.emplace_back([&, t] {
      Session session(layer.model, {1 + int(t % 3), t % 2 == 0 ? Schedule::wide : Schedule::deep});
      for (int repeat = 0; repeat < 5; ++repeat) {
        Results results = make_results(layer.model, layer.inputs, {true, true});
        session.run(layer.inputs, results.outputs());
        right[t] = right[t] != 0 && layer.right(results);
      }
    });
  }
  for (std::thread& user : users) user.join();
  for (const char fine : right) CHECK(fine);
}
