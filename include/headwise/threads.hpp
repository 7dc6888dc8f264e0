// How many threads this process may use, and why.
#pragma once

#include <string>

#include "headwise/api.h"

namespace headwise {

// What the default number of threads rests on. The smallest of the limits counts.
struct ThreadLimits {
  int threads = 1;         // the number that SessionOptions{} stands for
  std::string reason;      // the limit that counts, in words: "the CPU quota of 1.5 CPUs in /sys/fs/cgroup/cpu.max"
  int affinity_cpus = 0;   // CPUs that the calling thread may run on
  int online_cpus = 0;     // CPUs of the machine that are switched on
  double quota_cpus = 0;   // CPU time a time, as a control group (version 1 or 2) allows it; rounded up. 0: no limit
  std::string quota_file;  // where it stands
  int openmp_threads = 0;  // OMP_NUM_THREADS or omp_set_num_threads, OMP_THREAD_LIMIT; otherwise OpenMP's own default
};

// Reads the files of the system anew, 50 to 100 µs. What cannot be read or makes no sense is no limit. Thread-safe.
// Throws Error(out_of_memory) only.
HEADWISE_API ThreadLimits thread_limits();

// thread_limits().threads; 1 when there is no memory left to find out. Thread-safe.
HEADWISE_API int default_threads() noexcept;

}  // namespace headwise
