#include "fork.hpp"

#include <pthread.h>

#include <atomic>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace headwise::threads {
namespace {

std::atomic<int> forks{0};
std::atomic<bool> had_threads{false}, lost{false};

bool has_threads() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded == 0;
#else
  return true;
#endif
}

void before_fork() noexcept {
  had_threads = has_threads();
}

void in_child() noexcept {
  forks.fetch_add(1);
  if (had_threads) lost = true;
}

// When the library is loaded, since a host may fork before it uses it. The C library forgets handlers of a library that
// is closed. Without memory for them a child is taken for a process of its own.
[[maybe_unused]] const int registered = pthread_atfork([] { before_fork(); }, nullptr, [] { in_child(); });

}  // namespace

int generation() noexcept {
  return forks.load(std::memory_order_relaxed);
}

bool lost_threads() noexcept {
  return lost.load(std::memory_order_relaxed);
}

}  // namespace headwise::threads
