// C08: a sandbox that forbids to ask for the affinity mask, and to set it.
#include "affinity.hpp"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <thread>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"

using namespace headwise;

namespace {

// For the calling thread and those that it starts, for good. False where the system has no such filters.
[[maybe_unused]] bool forbid_affinity() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace

#ifndef __SANITIZE_ADDRESS__  // which asks for the mask itself, and ends the process without an answer
TEST_CASE("C08: without any affinity mask sessions run, on all CPUs by default") {
  const LargeLayer layer;
  std::thread([&] {
    if (!forbid_affinity()) {
      MESSAGE("skipped: this system has no filters of system calls");
      return;
    }
    cpu_set_t mask;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) != 0);
    CHECK(threads::affinity_cpus() == threads::online_cpus());
    CHECK(default_threads() >= 1);
    CHECK(layer.run_right({.threads = 3}));
    CHECK(layer.run_right({.executor = std::make_shared<Executor>(3)}));
  }).join();
}
#endif

TEST_CASE("C08: a session of many threads runs where one CPU is allowed") {
  const LargeLayer layer;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(layer.run_right({.threads = 4}));
    CHECK(layer.run_right({.executor = std::make_shared<Executor>(4)}));
    cpu_set_t after;
    REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_EQUAL(&one, &after));
  }).join();
}
