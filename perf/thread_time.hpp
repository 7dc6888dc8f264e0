// The clocks of the paired measurements.
#pragma once

#include <chrono>
#include <ctime>

// CPU time of this thread: what other processes do on a shared machine stays out of the figure.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// For what several threads do together.
inline double wall() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
