#include "team.hpp"

#include <omp.h>

#include "crew.hpp"
#include "headwise/executor.hpp"
#include "start_thread.hpp"

namespace headwise::threads {

void Member::wait() const noexcept {
  if (barrier != nullptr) return barrier->wait();
#pragma omp barrier
}

int run_team(Executor* executor, int threads, const Work& work) noexcept {
  if (executor != nullptr) return executor->crew().run(threads, work);
  const int startable = startable_threads(threads);
  int members = 1;
#pragma omp parallel num_threads(startable)
  {
    if (omp_get_thread_num() == 0) members = omp_get_num_threads();
    work.run({omp_get_thread_num(), nullptr});
  }
  return members;
}

}  // namespace headwise::threads
