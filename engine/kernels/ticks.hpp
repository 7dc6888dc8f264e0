// A stopwatch for the parts of attention, and the counter that it reads. Internal linkage: kernel files share no inline
// code with each other.
#pragma once

#include <cstdint>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ctime>
#endif

namespace headwise::kernels {

// A counter of the CPU that runs at one constant rate on all cores. Read in 12 ns on the virtual machine at hand, where
// steady_clock takes 24.
static inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::uint64_t(t.tv_sec) * 1000000000U + std::uint64_t(t.tv_nsec);
#endif
}

enum class AttendPart : std::uint8_t { keys, scores, modifiers, softmax, weights, values, edges };
constexpr int attend_parts = 7;

// What the tasks that were given it took so far.
struct AttendTimes {
  std::uint64_t ticks[attend_parts];
  std::uint64_t mark;  // when the last lap ended
};

// Books the time since the last lap to a part. Without a stopwatch it is one predictable branch.
static inline void lap(AttendTimes* times, AttendPart part) noexcept {
  if (times == nullptr) return;
  const std::uint64_t now = read_ticks();
  times->ticks[static_cast<int>(part)] += now - times->mark;
  times->mark = now;
}

}  // namespace headwise::kernels
