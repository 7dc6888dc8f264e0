#include "team.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <string>

#include "fork.hpp"
#include "headwise/error.hpp"
#include "start_thread.hpp"

namespace headwise::limits {
namespace {

constexpr int rounds = 15;

using Clock = std::chrono::steady_clock;

struct Round {
  double work = 0, seconds = 0;
};

// The wall clock, not CPU time: where threads share a core, a round takes longer, and the figure must say so. It starts
// when all threads are awake.
Round run_round(int threads, std::int64_t repeats, const Burst& burst) {
  double work = 0;
  Clock::time_point start;
#pragma omp parallel num_threads(threads) reduction(+ : work)
  {
#pragma omp barrier
#pragma omp master
    start = Clock::now();
    work += burst(omp_get_thread_num(), repeats);
  }
  return {work, std::chrono::duration<double>(Clock::now() - start).count()};
}

// These rounds also bring the clock of the cores to what it is under such a load.
std::int64_t repeats_for(int threads, double seconds, const Burst& burst) {
  std::int64_t repeats = 1;
  while (run_round(threads, repeats, burst).seconds < seconds) repeats *= 2;
  return repeats;
}

// Once threads were lost in a fork, a region of one thread is still safe.
void require_team(int threads) {
  if (threads > 1 && threads::lost_threads()) {
    throw Error(ErrorCode::unsupported,
                "several threads can't be measured in a child of fork() whose parent had threads");
  }
  int started = 0;
  const int startable = threads::startable_threads(threads);
#pragma omp parallel num_threads(startable)
#pragma omp master
  started = omp_get_num_threads();
  if (started == threads) return;
  throw Error(ErrorCode::unsupported, "wanted " + std::to_string(threads) + " threads, but only " +
                                          std::to_string(started) + " start here" +
                                          (omp_in_parallel() ? ", inside a parallel region" : ""));
}

}  // namespace

double sustained_rate(int threads, double seconds, const Burst& burst) {
  require_team(threads);
  const std::int64_t repeats = repeats_for(threads, seconds / rounds, burst);
  std::array<double, rounds> rates;
  for (double& rate : rates) {
    const Round round = run_round(threads, repeats, burst);
    rate = round.work / round.seconds;
  }
  std::nth_element(rates.begin(), rates.begin() + 1, rates.end(), std::greater<>());
  return rates[1];
}

void on_each_thread(int threads, const std::function<void(int thread)>& function) {
  require_team(threads);
  std::exception_ptr error;
#pragma omp parallel num_threads(threads)
  try {
    function(omp_get_thread_num());
  } catch (...) {
#pragma omp critical
    error = std::current_exception();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace headwise::limits
