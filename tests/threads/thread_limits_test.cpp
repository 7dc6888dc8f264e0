// The default number of threads and its reason.
#include "headwise/threads.hpp"

#include <doctest/doctest.h>
#include <omp.h>

#include <cerrno>
#include <thread>

#include "affinity.hpp"
#include "headwise/attention.hpp"
#include "limits_of.hpp"

using namespace headwise;
using threads::limits_of;

namespace {

// A kernel with more CPUs than a mask of 1024 holds.
int many_cpus(pid_t, std::size_t bytes, cpu_set_t* set) {
  if (bytes < 4096 / 8) {
    errno = EINVAL;
    return -1;
  }
  for (int cpu : {0, 1500, 4095}) CPU_SET_S(cpu, bytes, set);
  return 0;
}

int always_invalid(pid_t, std::size_t, cpu_set_t*) {
  errno = EINVAL;
  return -1;
}

int forbidden(pid_t, std::size_t, cpu_set_t*) {
  errno = EPERM;
  return -1;
}

void allow_only(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
}

}  // namespace

TEST_CASE("C07: the smallest limit counts, and says so") {
  CHECK(limits_of({8, 16, {}, 16}).threads == 8);
  CHECK(limits_of({8, 16, {}, 16}).reason == "the process may run on 8 of 16 CPUs");
  CHECK(limits_of({8, 16, {1.5, "/x/cpu.max"}, 16}).threads == 2);
  CHECK(limits_of({8, 16, {1.5, "/x/cpu.max"}, 16}).reason == "the CPU quota of 1.5 CPUs in /x/cpu.max");
  CHECK(limits_of({8, 16, {0.5, "f"}, 16}).threads == 1);
  CHECK(limits_of({8, 16, {1, "f"}, 16}).reason == "the CPU quota of 1 CPU in f");
  CHECK(limits_of({8, 16, {2.0001, "f"}, 16}).threads == 3);
  CHECK(limits_of({8, 16, {1e30, "f"}, 16}).threads == 8);
  CHECK(limits_of({8, 16, {4, "f"}, 3}).threads == 3);
  CHECK(limits_of({8, 16, {4, "f"}, 3}).reason == "OpenMP is set to 3");
  CHECK(limits_of({5000, 5000, {}, 5000}).threads == Session::max_threads);
  CHECK(limits_of({5000, 5000, {}, 5000}).reason == "a session has at most 1024");
  CHECK(limits_of({1, 1, {}, 0}).threads == 1);
}

TEST_CASE("C08: affinity masks of any size, and none") {
  CHECK(threads::affinity_cpus(many_cpus) == 3);
  CHECK(threads::affinity_cpus(always_invalid) == threads::online_cpus());
  CHECK(threads::affinity_cpus(forbidden) == threads::online_cpus());
  CHECK(threads::online_cpus() >= 1);
}

TEST_CASE("C07: the affinity mask of the calling thread limits the default") {
  std::thread([] {
    allow_only(sched_getcpu());
    CHECK(thread_limits().affinity_cpus == 1);
    CHECK(default_threads() == 1);
  }).join();
  cpu_set_t all;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  CHECK(thread_limits().affinity_cpus == CPU_COUNT(&all));
  CHECK(default_threads() <= CPU_COUNT(&all));
}

TEST_CASE("C07: OpenMP's own limits hold for the default") {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  CHECK(default_threads() == 1);
  omp_set_num_threads(100000);
  CHECK(default_threads() <= threads::affinity_cpus());
  omp_set_num_threads(before);
  CHECK(thread_limits().threads == default_threads());
  CHECK(default_threads() >= 1);
  CHECK(default_threads() <= omp_get_thread_limit());
}
