#include "threads.hpp"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "headwise/attention.hpp"

namespace headwise::runtime {

namespace {

// Microseconds of CPU time a period; both must be positive numbers, anything else ("max", −1) means no limit.
int quota_from(double quota, double period) noexcept {
  if (!(quota > 0) || !(period > 0)) return 0;
  const double cpus = std::ceil(quota / period);
  return cpus < Session::max_threads ? static_cast<int>(cpus) : 0;
}

double number_in(const std::string& path) {
  double value = 0;
  std::ifstream(path) >> value;
  return value;
}

}  // namespace

int affinity_threads() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more CPUs than the set holds; all CPUs are the honest answer there.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

int quota_threads(const std::string& cgroup_folder) noexcept {
  try {
    double quota = 0;
    double period = 0;
    std::ifstream version2(cgroup_folder + "/cpu.max");
    if (version2 >> quota >> period) return quota_from(quota, period);
    const std::string version1 = cgroup_folder + "/cpu/cpu.cfs_";
    return quota_from(number_in(version1 + "quota_us"), number_in(version1 + "period_us"));
  } catch (...) {  // out of memory while reading a hint: go without it
    return 0;
  }
}

}  // namespace headwise::runtime

namespace headwise {

int default_threads() noexcept {
  int threads = std::min(runtime::affinity_threads(), Session::max_threads);
  const int quota = runtime::quota_threads("/sys/fs/cgroup");
  if (quota > 0) threads = std::min(threads, quota);
  return std::max(1, std::min(threads, omp_get_max_threads()));
}

}  // namespace headwise
