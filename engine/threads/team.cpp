#include "team.hpp"

#include <omp.h>

#include "crew.hpp"
#include "headwise/executor.hpp"
#include "start_thread.hpp"

namespace headwise::threads {

int run_team(Executor* executor, int threads, const Work& work) noexcept {
  if (executor != nullptr) return executor->crew().run(threads, work);
  const int startable = startable_threads(threads);
  int members = 1;
  Barrier barrier;
#pragma omp parallel num_threads(startable)
  {
    if (omp_get_thread_num() == 0) members = omp_get_num_threads();
    work.run({omp_get_thread_num(), omp_get_num_threads(), &barrier});
  }
  return members;
}

}  // namespace headwise::threads
