// A process of its own for each thing that happens to a whole process: forks (C01), no threads to be had. The name of
// the case is the argument; without one all names are printed. Exit code 0: as it should be. Nothing takes longer than
// 10 seconds, or the process is ended. Runs on libgomp, and with libomp preloaded on that (see CMakeLists.txt).
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"
#include "process_host.hpp"
#include "process_threads.hpp"

using namespace headwise;

namespace {

void check_runs(const LargeLayer& layer, const SessionOptions& options) {
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    SessionOptions with = options;
    with.schedule = schedule;
    Session session(layer.model, with);
    for (int repeat = 0; repeat < 3; ++repeat) check(layer.run_right(session), "other bits in a new session");
  }
}

// A child of a process that has not run anything yet has threads as if it had been started by itself.
void fork_first() {
  const LargeLayer layer;
  Session session(layer.model, {.threads = 3, .schedule = Schedule::wide});
  check(has_threads(1), "a model and a session start threads");
  check(in_child([&] {
          check(layer.run_right(session), "other bits in the child");
          check(has_threads(3), "not all threads in the child");
        }),
        "child before the first run");
  check_runs(layer, {.threads = 3});
}

void fork_after() {
  const LargeLayer layer;
  Session session(layer.model, {.threads = 4, .schedule = Schedule::wide});
  check(layer.run_right(session), "other bits before the fork");
  const auto child = [&] {
    check(layer.run_right(session), "other bits in the parent's session");
    check(has_threads(5), "not all threads in the child");  // an executor's four
    check_runs(layer, {.threads = 4});
    check_runs(layer, {});
    Session last = std::move(session);
  };
  check(in_child(child), "child after a run");
  check(in_child([&] {
          child();
          check(in_child([&] { check_runs(layer, {.threads = 4}); }), "child of the child");
        }),
        "child with a child");
  check(layer.run_right({.threads = 4}), "other bits in the parent afterwards");
}

// The team was another thread's, or the host's own.
void fork_after_others() {
  const LargeLayer layer;
  int members = 0;
#pragma omp parallel num_threads(3) reduction(+ : members)
  members += 1;
  check(members == 3, "the host's region");
  check(in_child([&] { check_runs(layer, {.threads = 3}); }), "child after a region of the host");
  std::thread([&] { check_runs(layer, {.threads = 3}); }).join();
  check(in_child([&] { check_runs(layer, {.threads = 3}); }), "child after a run of another thread");
  std::thread([&] { check(in_child([&] { check_runs(layer, {.threads = 3}); }), "child of another thread"); }).join();
}

// Forks while other threads run: their locks and their turns are not the child's.
void fork_during() {
  const LargeLayer layer;
  const auto executor = std::make_shared<Executor>(2);
  std::atomic<bool> over{false};
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&, u] {
      const SessionOptions options{.threads = 2, .executor = u % 2 == 0 ? executor : nullptr};
      Session session(layer.model, options);
      while (!over) check(layer.run_right(session), "other bits while forking");
    });
  }
  Session shared(layer.model, {.executor = executor});
  for (int child = 0; child < 20; ++child) {
    check(in_child([&] {
            check(layer.run_right(shared), "other bits in the executor's session");
            check(layer.run_right({.threads = 2}), "other bits in a new session");
          }),
          "child while others run");
  }
  over = true;
  for (std::thread& user : users) user.join();
}

void fork_executor() {
  const LargeLayer layer;
  auto executor = std::make_shared<Executor>(3);
  Session session(layer.model, {.executor = executor});
  check(layer.run_right(session), "other bits before the fork");
  check(in_child([&] {
          check(layer.run_right(session), "other bits in the child");
          check(has_threads(4), "not all threads in the child");
          check_runs(layer, {.executor = executor});  // the dead one
          const auto renewed = std::make_shared<Executor>(2);
          check_runs(layer, {.executor = renewed});
          Session last = std::move(session);
          executor.reset();  // waits for nobody
        }),
        "child with an executor");
  check(layer.run_right(session), "other bits in the parent afterwards");
}

void fork_limits() {
  const LargeLayer layer;
  check(layer.run_right({.threads = 2}), "other bits before the fork");
  check(in_child([&] {
          check(measure_fma_peak({.isa = "", .threads = 1, .seconds = 0.01}) > 0, "no peak of one thread");
          try {
            (void)measure_fma_peak({.isa = "", .threads = 2, .seconds = 0.01});
            check(false, "several threads were measured");
          } catch (const Error& error) {
            check(error.code() == ErrorCode::unsupported, error.what());
          }
        }),
        "child that measures");
}

// The system gives this process no threads: all work is done by the caller. A root user may start as many as it likes.
void no_threads() {
  const LargeLayer layer;
  const rlimit none{1, 1};
  check(setrlimit(RLIMIT_NPROC, &none) == 0 && (getuid() != 0 || setuid(65534) == 0), "no limit on processes");
  check_runs(layer, {.threads = 4});
  const auto executor = std::make_shared<Executor>(4);
  check(executor->threads() == 1, "an executor has threads");
  check_runs(layer, {.executor = executor});
  std::string message;
  try {
    (void)measure_fma_peak({.isa = "", .threads = 2, .seconds = 0.01});
  } catch (const Error& error) {
    message = error.what();
  }
  check(!message.empty(), "two threads were measured where there is one");
}

constexpr Case own_cases[] = {
    {"fork_first", fork_first},   {"fork_after", fork_after},       {"fork_after_others", fork_after_others},
    {"fork_during", fork_during}, {"fork_executor", fork_executor}, {"fork_limits", fork_limits},
    {"no_threads", no_threads}};

std::vector<Case> all_cases() {
  std::vector<Case> cases(std::begin(own_cases), std::end(own_cases));
  cases.insert(cases.end(), log_cases().begin(), log_cases().end());
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  alarm(6 * most_seconds);
  for (const Case& one : all_cases()) {
    if (argc < 2) std::puts(one.name);
    if (argc < 2 || std::strcmp(argv[1], one.name) != 0) continue;
    one.run();
    return failures == 0 ? 0 : 1;
  }
  return argc < 2 ? 0 : 2;
}
