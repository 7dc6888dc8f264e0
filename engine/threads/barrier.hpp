// Waiting for other threads: awake for a few microseconds, then asleep.
#pragma once

#include <atomic>

namespace headwise::threads {

// Tells the CPU that a loop waits, which leaves the core to its other thread.
inline void pause_core() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns once `value` is no longer `old`.
inline void wait_while(const std::atomic<int>& value, int old) noexcept {
  constexpr int turns = 200;
  for (int i = 0; i < turns; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_core();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

// Where a fixed number of threads wait for each other, as often as they like.
class Barrier {
 public:
  explicit Barrier(int members) noexcept : members_(members) {}
  void wait() noexcept {
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < members_) return wait_while(round_, round);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
  }

 private:
  const int members_;
  std::atomic<int> arrived_{0}, round_{0};
};

}  // namespace headwise::threads
