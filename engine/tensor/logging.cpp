#include "logging.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "headwise/error.hpp"

namespace headwise {
namespace {

struct Handler {
  LogHandler function;
  int at_work = 0;  // calls of it, counted under the mutex
};

// Without destructors: threads may still have something to say while the process ends.
// Held for a few instructions and never while a handler runs.
constinit std::mutex mutex;
constinit std::atomic<Handler*> current = nullptr;
constinit std::atomic<unsigned> ended_calls = 0;  // of all handlers, for who waits for one
// The handler that this thread is in.
constinit thread_local Handler* inside = nullptr;

Handler* start_call() {
  const std::lock_guard lock(mutex);
  Handler* handler = current;
  if (handler != nullptr) ++handler->at_work;
  return handler;
}

// Afterwards the handler may be gone.
void end_call(Handler* handler) {
  {
    const std::lock_guard lock(mutex);
    --handler->at_work;
  }
  ++ended_calls;
  ended_calls.notify_all();
}

bool is_at_work(const Handler& handler) {
  const std::lock_guard lock(mutex);
  return handler.at_work > 0;
}

void wait_for_calls(const Handler& handler) {
  for (;;) {
    const unsigned seen = ended_calls;
    if (!is_at_work(handler)) return;
    ended_calls.wait(seen);
  }
}

void call_handler(LogLevel level, const std::string& message) {
  Handler* handler = start_call();
  if (handler == nullptr) return;
  inside = handler;
  try {
    handler->function(level, message);
  } catch (...) {
  }
  inside = nullptr;
  end_call(handler);
}

std::unique_ptr<Handler> exchange(std::unique_ptr<Handler> next) {
  const std::lock_guard lock(mutex);
  return std::unique_ptr<Handler>(current.exchange(next.release()));
}

// Of the threads that held the mutex or were inside of the handler, only this one came along. A handler that was being
// replaced stays in memory: who waited for it is not here.
void in_child() noexcept {
  new (&mutex) std::mutex;
  Handler* handler = current;
  if (handler != nullptr) handler->at_work = inside == handler ? 1 : 0;
}

// As in threads/fork.cpp.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { in_child(); });

}  // namespace

bool has_log_handler() noexcept {
  return current.load(std::memory_order_relaxed) != nullptr;
}

void send_to_log(LogLevel level, const std::string& message) noexcept {
  if (inside != nullptr) return;
  try {
    call_handler(level, message);
  } catch (...) {  // the system has no lock to give
  }
}

void set_log_handler(LogHandler wanted) {
  if (inside != nullptr) throw Error(ErrorCode::busy, "set_log_handler was called from inside a log handler");
  const std::unique_ptr<Handler> before =
      exchange(wanted ? std::make_unique<Handler>(Handler{std::move(wanted)}) : nullptr);
  if (before) wait_for_calls(*before);
}

const char* log_level_name(LogLevel level) noexcept {
  return level == LogLevel::info ? "info" : "warning";
}

}  // namespace headwise
