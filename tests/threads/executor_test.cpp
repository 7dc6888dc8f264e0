// An executor: turns, teams of its own, the same bits.
#include "headwise/executor.hpp"

#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "crew.hpp"
#include "expect_error.hpp"
#include "headwise/headwise.hpp"
#include "large_layer.hpp"
#include "process_threads.hpp"

using namespace headwise;
using threads::Crew;
using threads::Member;

namespace {

// Members of the teams of `calls` calls from each of `callers` threads, each of which meets the others `waits` times.
std::vector<int> teams_of(Crew& crew, int callers, int wanted, int calls) {
  std::vector<std::vector<int>> sizes(static_cast<std::size_t>(callers));
  std::vector<std::thread> users;
  for (auto& own : sizes) {
    users.emplace_back([&] {
      for (int c = 0; c < calls; ++c) {
        std::atomic<int> members{0}, before{0}, wrong{0};
        auto work = [&](const Member& member) noexcept {
          ++members;
          for (int round = 1; round <= 20; ++round) {
            ++before;
            member.wait();
            if (before.load() != round * members.load()) ++wrong;
            member.wait();
          }
        };
        own.push_back(crew.run(wanted, work));
        if (members != own.back() || wrong != 0) own.back() = -1;
      }
    });
  }
  for (std::thread& user : users) user.join();
  std::vector<int> all;
  for (const auto& own : sizes) all.insert(all.end(), own.begin(), own.end());
  return all;
}

bool lie_between(const std::vector<int>& sizes, int least, int most) {
  return std::all_of(sizes.begin(), sizes.end(), [=](int size) { return size >= least && size <= most; });
}

void until_waiting(const Crew& crew, int calls) {
  while (crew.waiting() < calls) std::this_thread::yield();
}

// A call that has all the seats of a crew, from when it is made until it lets go.
class Holder {
 public:
  explicit Holder(Crew& crew) : thread_([this, &crew] { crew.run(crew.threads(), stay_); }) {
    while (!held_) std::this_thread::yield();
  }
  void let_go() {
    hold_ = false;
    thread_.join();
  }

 private:
  std::atomic<bool> hold_{true}, held_{false};
  std::function<void(const Member&)> stay_ = [this](const Member&) {
    held_ = true;
    while (hold_) std::this_thread::yield();
  };
  std::thread thread_;  // last: it uses the others
};

}  // namespace

TEST_CASE("crew: a call that is alone has all the threads it asks for, and they meet at the barrier") {
  Crew crew(4);
  CHECK(crew.threads() == 4);
  for (const int wanted : {1, 2, 3, 4}) CHECK(lie_between(teams_of(crew, 1, wanted, 20), wanted, wanted));
  CHECK(lie_between(teams_of(crew, 1, 9, 20), 4, 4));
  Crew alone(1);
  CHECK(lie_between(teams_of(alone, 1, 4, 5), 1, 1));
}

TEST_CASE("crew: many callers share the threads, each with one at least") {
  Crew crew(4);
  CHECK(lie_between(teams_of(crew, 32, 4, 30), 1, 4));
  CHECK(lie_between(teams_of(crew, 1, 4, 5), 4, 4));  // all seats came back
  Crew alone(1);
  CHECK(lie_between(teams_of(alone, 8, 4, 20), 1, 1));
}

TEST_CASE("crew: no more calls are at work than there are threads") {
  Crew crew(3);
  std::atomic<int> at_work{0}, most{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 16; ++u) {
    users.emplace_back([&] {
      auto work = [&](const Member&) noexcept {
        const int now = ++at_work;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
        std::this_thread::yield();
        --at_work;
      };
      for (int c = 0; c < 50; ++c) crew.run(3, work);
    });
  }
  for (std::thread& user : users) user.join();
  CHECK(most <= 3);
}

TEST_CASE("crew: calls that wait are led in the order in which they come, by the crew's threads") {
  Crew crew(1);
  Holder holder(crew);
  std::vector<int> order;
  std::vector<std::thread::id> leaders, callers;
  std::vector<std::thread> users;
  for (int u = 0; u < 8; ++u) {
    users.emplace_back([&, u] {
      auto work = [&](const Member&) noexcept {
        order.push_back(u);
        leaders.push_back(std::this_thread::get_id());
      };
      crew.run(1, work);
    });
    callers.push_back(users.back().get_id());
    until_waiting(crew, u + 1);
  }
  holder.let_go();
  for (std::thread& user : users) user.join();
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  for (const std::thread::id leader : leaders) CHECK(std::count(callers.begin(), callers.end(), leader) == 0);
}

TEST_CASE("crew: a call that is cancelled while it waits ends with the next call, and the others keep their turns") {
  Crew crew(1);
  Holder holder(crew);
  std::vector<int> order;
  std::array<std::atomic<bool>, 5> cancel{};
  std::array<int, 5> members{};
  std::vector<std::thread> users;
  for (std::size_t u = 0; u < 5; ++u) {
    users.emplace_back([&, u] {
      auto work = [&](const Member&) noexcept { order.push_back(int(u)); };
      members[u] = crew.run(1, work, &cancel[u]);
    });
    until_waiting(crew, int(u) + 1);
  }
  for (const std::size_t u : {0, 2, 4}) cancel[u] = true;
  holder.let_go();
  for (std::thread& user : users) user.join();
  CHECK(order == std::vector<int>{1, 3});
  CHECK(members == std::array<int, 5>{0, 1, 0, 1, 0});
  CHECK(lie_between(teams_of(crew, 4, 1, 5), 1, 1));  // the queue is whole
}

TEST_CASE("executor: a session's call that is cancelled while it waits throws and writes nothing") {
  const LargeLayer layer;
  const auto executor = std::make_shared<Executor>(2);
  Holder holder(executor->crew());
  std::atomic<bool> cancel{false};
  std::thread end([&] {
    until_waiting(executor->crew(), 1);
    cancel = true;
    holder.let_go();
  });
  Session session(layer.model, {.executor = executor});
  Tensor y(layer.x.shape());
  AttentionInputs inputs = layer.inputs();
  inputs.cancel = &cancel;
  expect_error(ErrorCode::cancelled, {"cancelled"}, [&] { session.run(inputs, {.output = y}); });
  end.join();
  CHECK(std::all_of(y.data(), y.data() + y.size(), [](float value) { return value == 0; }));
  CHECK(layer.run_right(session));
}

TEST_CASE("executor: a number of threads out of range is refused") {
  expect_error(ErrorCode::invalid_argument, {"threads is -1"}, [&] { const Executor executor(-1); });
  expect_error(ErrorCode::invalid_argument, {"1024"}, [&] { const Executor executor(Session::max_threads + 1); });
  CHECK(Executor(0).threads() == default_threads());
  CHECK(Executor().threads() == default_threads());
}

TEST_CASE("executor: its threads have names, begin with it and end with its last session") {
  const std::size_t before = thread_count();
  const LargeLayer layer;
  {
    auto executor = std::make_shared<Executor>(3);
    CHECK(executor->threads() == 3);
    CHECK(has_threads(before + 3));
    const std::vector<std::string> names = thread_names();
    for (const char* name : {"headwise-1", "headwise-2", "headwise-3"}) {
      CHECK(std::count(names.begin(), names.end(), name) == 1);
    }
    Session session(layer.model, {.executor = executor});
    executor.reset();
    CHECK(layer.run_right(session));
    CHECK(has_threads(before + 3));
  }
  CHECK(has_threads(before));
}

TEST_CASE("executor: sessions take its number of threads, or fewer") {
  const LargeLayer layer;
  const auto executor = std::make_shared<Executor>(3);
  CHECK(Session(layer.model, {.executor = executor}).threads() == 3);
  CHECK(Session(layer.model, {.threads = 2, .executor = executor}).threads() == 2);
  CHECK(Session(layer.model, {.threads = 8, .executor = executor}).threads() == 3);
  expect_error(ErrorCode::invalid_argument, {"threads is -1"},
               [&] { Session(layer.model, {.threads = -1, .executor = executor}); });
  expect_error(ErrorCode::invalid_argument, {"threads is 5000"},
               [&] { Session(layer.model, {.threads = 5000, .executor = executor}); });
}

TEST_CASE("executor: the same bits for any number of threads and schedule, inside a region as well") {
  const LargeLayer layer;
  for (const int threads : {1, 2, 3, 5}) {
    const auto executor = std::make_shared<Executor>(threads);
    for (const Schedule schedule : {Schedule::automatic, Schedule::wide, Schedule::deep}) {
      CHECK(layer.run_right({.schedule = schedule, .executor = executor}));
    }
    int right = 0;
#pragma omp parallel num_threads(3) reduction(+ : right)
    right += layer.run_right({.executor = executor}) ? 1 : 0;
    CHECK(right == 3);
  }
}

TEST_CASE("executor: a profile has a line for each of its threads") {
  const LargeLayer layer;
  const auto executor = std::make_shared<Executor>(2);
  Session session(layer.model, {.schedule = Schedule::wide, .executor = executor});
  Tensor y(layer.x.shape());
  const Profile profile = session.profile(layer.inputs(), {.output = y}, {});
  CHECK(layer.is_right(y));
  CHECK(profile.threads.size() == 2);
}
