// When the system has no more threads, there are fewer of them, and the process goes on.
#include "start_thread.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"
#include "process_threads.hpp"

using namespace headwise;

namespace {

// Runs a function in a child that the system gives no threads, and returns its verdict. The child has 10 seconds.
template <class Function>
bool true_without_threads(const Function& function) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    // Not even root may start threads in a user's name that has used up its processes; 1 counts this one.
    const rlimit none{1, 1};
    const bool limited = setrlimit(RLIMIT_NPROC, &none) == 0 && (getuid() != 0 || setuid(65534) == 0);
    _exit(limited && function() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void* report_signals(void* argument) {
  pthread_sigmask(SIG_SETMASK, nullptr, static_cast<sigset_t*>(argument));
  return nullptr;
}

}  // namespace

TEST_CASE("start: a thread takes no signals, and its maker's mask stays") {
  sigset_t inside, before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  pthread_t thread;
  REQUIRE(threads::start_thread(thread, report_signals, &inside, 1 << 18));
  pthread_join(thread, nullptr);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGPIPE, SIGCHLD}) {
    CHECK(sigismember(&inside, signal) == 1);
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
  }
}

TEST_CASE("start: threads that were tried out are gone afterwards") {
  const std::size_t before = thread_count();
  CHECK(threads::startable_threads(1) == 1);
  CHECK(threads::startable_threads(9) == 9);
  CHECK(threads::startable_threads(3) == 3);
  CHECK(has_threads(before));
}

TEST_CASE("start: without threads to be had all work is done by the caller") {
  const LargeLayer layer;
  CHECK(true_without_threads([&] { return threads::startable_threads(4) == 1; }));
  CHECK(true_without_threads([&] { return layer.run_right({.threads = 4, .schedule = Schedule::wide}); }));
  CHECK(true_without_threads([&] { return layer.run_right({.threads = 4, .schedule = Schedule::deep}); }));
  CHECK(true_without_threads([&] {
    const auto executor = std::make_shared<Executor>(4);
    return executor->threads() == 1 && layer.run_right({.executor = executor});
  }));
}
