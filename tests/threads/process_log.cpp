// Forks while other threads are in the log: in its handler, waiting for that, or holding its mutex.
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "headwise/headwise.hpp"
#include "headwise/log.hpp"
#include "process_host.hpp"

using namespace headwise;

namespace {

std::atomic<int> heard{0};

void say_something() {
  const MultiHeadAttention model(random_weights({.model_dim = 8, .num_heads = 2}, 1));
}

void count_messages() {
  set_log_handler([](LogLevel, const std::string&) { ++heard; });
}

bool is_heard() {
  const int before = heard;
  say_something();
  return heard > before;
}

// The handler may be called, replaced and ended.
void check_log() {
  check(is_heard(), "the parent's handler hears nothing");
  count_messages();
  check(is_heard(), "the new handler hears nothing");
  set_log_handler({});
  check(!is_heard(), "a handler that was ended hears something");
}

void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

// Stays at work on other threads than this one until it is let go.
struct SlowHandler {
  std::atomic<bool> at_work{false}, may_end{false};

  void set() {
    set_log_handler([this, here = std::this_thread::get_id()](LogLevel, const std::string&) {
      ++heard;
      if (std::this_thread::get_id() == here) return;
      at_work = true;
      wait_until(may_end);
    });
  }
};

// Another thread is in the handler, and then yet another one waits for it to come out.
void fork_log_call() {
  SlowHandler slow;
  slow.set();
  std::thread speaker(say_something);
  wait_until(slow.at_work);
  check(in_child(check_log), "child while a handler is at work");
  std::atomic<bool> heard_next{false}, replaced{false};
  std::thread setter([&] {
    set_log_handler([&](LogLevel, const std::string&) {
      ++heard;
      heard_next = true;
    });
    replaced = true;
  });
  while (!heard_next) say_something();
  check(in_child(check_log), "child while a handler is being replaced");
  check(!replaced, "set_log_handler returned while the handler before was at work");
  slow.may_end = true;
  speaker.join();
  setter.join();
  check_log();
}

// The thread that forks is in the handler itself, and goes on in both processes. In the child another thread replaces
// the handler, which has to wait for the first.
void fork_log_inside() {
  pid_t child = -1;
  std::thread setter;
  std::atomic<bool> replaced{false};
  set_log_handler([&](LogLevel, const std::string&) {
    ++heard;
    if (child != -1 || (child = fork()) != 0) return;
    alarm(most_seconds);
    setter = std::thread([&] {
      count_messages();
      replaced = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    check(!replaced, "a handler was replaced while it was at work");
  });
  say_something();
  if (child == 0) setter.join();
  check_log();
  if (child == 0) end_child();
  check(ended_well(child), "child that was forked in a handler");
}

thread_local bool keeps_mutex = false;
std::atomic<bool> keeping{false}, may_unlock{false};

void fork_log_locked() {
  count_messages();
  std::thread holder([] {
    keeps_mutex = true;
    count_messages();
  });
  wait_until(keeping);
  check(in_child(check_log), "child while the log is locked");
  may_unlock = true;
  holder.join();
  check_log();
}

}  // namespace

const std::vector<Case>& log_cases() {
  static const std::vector<Case> cases{
      {"fork_log_call", fork_log_call}, {"fork_log_inside", fork_log_inside}, {"fork_log_locked", fork_log_locked}};
  return cases;
}

// The executable's own definition comes first. A thread that keeps mutexes unlocks the first one when it may.
extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto unlock = reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_unlock"));
  if (keeps_mutex) {
    keeping = true;
    wait_until(may_unlock);
  }
  return unlock(mutex);
}
