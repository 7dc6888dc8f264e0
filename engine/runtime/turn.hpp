// Whose turn it is in a session, and whether the call is still wanted.
#pragma once

#include <atomic>

#include "headwise/error.hpp"

namespace headwise::runtime {

// A call's hold on its session: 5 ns for taking it and giving it back.
class Turn {
 public:
  // Throws Error(busy) when another call has it.
  explicit Turn(std::atomic<bool>& taken) : taken_(taken) {
    if (!taken_.exchange(true, std::memory_order_acquire)) return;
    throw Error(ErrorCode::busy, "the session is at work for another thread; use one session a thread");
  }
  ~Turn() { taken_.store(false, std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& taken_;
};

// The caller's flag, which stays seen once it was: he may clear it again at any time, and a thread that went on would
// work on what others left undone.
class Stop {
 public:
  void begin(const std::atomic<bool>* flag) noexcept {
    flag_ = flag;
    seen_.store(false, std::memory_order_relaxed);
  }
  bool is_set() noexcept {
    if (seen()) return true;
    if (flag_ == nullptr || !flag_->load(std::memory_order_relaxed)) return false;
    set();
    return true;
  }
  bool can_be_set() const noexcept { return flag_ != nullptr; }
  const std::atomic<bool>* flag() const noexcept { return flag_; }
  void set() noexcept { seen_.store(true, std::memory_order_relaxed); }
  bool seen() const noexcept { return seen_.load(std::memory_order_relaxed); }

 private:
  const std::atomic<bool>* flag_ = nullptr;
  std::atomic<bool> seen_{false};
};

}  // namespace headwise::runtime
