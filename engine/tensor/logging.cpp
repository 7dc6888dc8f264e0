#include "logging.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "headwise/error.hpp"

namespace headwise {
namespace {

// Without destructors: threads may still have something to say while the process ends.
constinit std::shared_mutex mutex;
constinit LogHandler* handler = nullptr;
constinit std::atomic<bool> listening = false;
// This thread is in the handler.
constinit thread_local bool inside = false;

void call_handler(LogLevel level, const std::string& message) {
  const std::shared_lock lock(mutex);
  if (handler == nullptr) return;
  inside = true;
  try {
    (*handler)(level, message);
  } catch (...) {
  }
  inside = false;
}

}  // namespace

bool has_log_handler() noexcept {
  return listening.load(std::memory_order_relaxed);
}

void send_to_log(LogLevel level, const std::string& message) noexcept {
  if (inside) return;
  try {
    call_handler(level, message);
  } catch (...) {  // the system has no lock to give
  }
}

void set_log_handler(LogHandler wanted) {
  if (inside) throw Error(ErrorCode::busy, "set_log_handler was called from inside a log handler");
  std::unique_ptr<LogHandler> other = wanted ? std::make_unique<LogHandler>(std::move(wanted)) : nullptr;
  const std::unique_lock lock(mutex);
  listening.store(other != nullptr, std::memory_order_relaxed);
  LogHandler* before = handler;
  handler = other.release();
  other.reset(before);
}

const char* log_level_name(LogLevel level) noexcept {
  return level == LogLevel::info ? "info" : "warning";
}

}  // namespace headwise
