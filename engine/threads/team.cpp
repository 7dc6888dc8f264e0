#include "team.hpp"

#include <omp.h>

#include "crew.hpp"
#include "headwise/executor.hpp"
#include "start_thread.hpp"

namespace headwise::threads {

int run_team(const Team& team, const Work& work) noexcept {
  if (team.executor != nullptr) return team.executor->crew().run(team.threads, work, team.cancel);
  const int startable = startable_threads(team.threads);
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
