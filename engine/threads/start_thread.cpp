#include "start_thread.hpp"

#include <dlfcn.h>
#include <omp.h>
#include <signal.h>

#include <array>
#include <atomic>

#include "headwise/attention.hpp"

namespace headwise::threads {
namespace {

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

void* wait_for_end(void* argument) {
  auto& over = *static_cast<std::atomic<int>*>(argument);
  over.wait(0);
  return nullptr;
}

// All at once, as a team has them.
int try_threads(int wanted) noexcept {
  std::array<pthread_t, Session::max_threads> threads;
  std::atomic<int> over{0};
  std::size_t started = 0;
  while (started < static_cast<std::size_t>(wanted) && start_thread(threads[started], wait_for_end, &over)) ++started;
  over.store(1);
  over.notify_all();
  for (std::size_t t = 0; t < started; ++t) pthread_join(threads[t], nullptr);
  return static_cast<int>(started);
}

// The threads of a team sleep in OpenMP's code, also when a host closes the last library that needs it: libgomp would
// be unloaded under them, and the next load would start as many again.
void keep_openmp_loaded() noexcept {
  static std::atomic<bool> kept{false};
  Dl_info openmp;
  if (kept.exchange(true) || dladdr(reinterpret_cast<void*>(omp_get_max_threads), &openmp) == 0) return;
  dlopen(openmp.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace

bool start_thread(pthread_t& thread, void* (*function)(void*), void* argument, std::size_t stack_bytes) noexcept {
  const AllSignalsBlocked guard;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  if (stack_bytes > 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  const bool started = pthread_create(&thread, &attributes, function, argument) == 0;
  pthread_attr_destroy(&attributes);
  return started;
}

int startable_threads(int wanted) noexcept {
  thread_local int team = 1;  // OpenMP keeps it for the calling thread's next region
  if (wanted > team) {
    keep_openmp_loaded();
    wanted = 1 + try_threads(wanted - 1);
  }
  return team = wanted;
}

}  // namespace headwise::threads
