// Waiting for other threads: awake for a while, then asleep.
#pragma once

#include <atomic>
#include <chrono>

namespace headwise::threads {

// Tells the CPU that a loop waits, which leaves the core to its other thread.
inline void pause_core() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// To wake a thread takes 5 µs, on a virtual machine whose core has gone idle 50. Who stays awake about that long loses
// at most as much again, whatever comes: a call of 0.12 ms takes as long as with libgomp, whose threads stay awake for
// milliseconds; and where other programs have taken a core, 0.5 ms (with 100 µs), and not 50.
constexpr std::chrono::microseconds within_call{50}, between_calls{20};

// Returns once `value` is no longer `old`; sleeps when that takes longer than `awake`.
inline void wait_while(const std::atomic<int>& value, int old, std::chrono::microseconds awake) noexcept {
  const auto end = std::chrono::steady_clock::now() + awake;
  do {
    for (int turn = 0; turn < 16; ++turn) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause_core();
    }
  } while (std::chrono::steady_clock::now() < end);
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

// Where the threads of a team wait for each other, as often as they like.
class Barrier {
 public:
  // The same number from each of them.
  void wait(int members) noexcept {
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < members) return wait_while(round_, round, within_call);
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
  }

 private:
  std::atomic<int> arrived_{0}, round_{0};
};

}  // namespace headwise::threads
