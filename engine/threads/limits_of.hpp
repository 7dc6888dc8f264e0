// The choice among the limits on threads.
#pragma once

#include "cpu_quota.hpp"
#include "headwise/threads.hpp"

namespace headwise::threads {

// What the system says.
struct Facts {
  int affinity_cpus = 1, online_cpus = 1;
  CpuQuota quota;
  int openmp_threads = 1;
};

ThreadLimits limits_of(const Facts& facts);

}  // namespace headwise::threads
