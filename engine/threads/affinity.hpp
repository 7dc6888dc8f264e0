// CPUs that the calling thread may run on.
#pragma once

#include <sched.h>

#include <cstddef>

namespace headwise::threads {

// sched_getaffinity, or what a test puts in its place.
using GetAffinity = int (*)(pid_t process, std::size_t bytes, cpu_set_t* set);

// At least 1. The mask grows until it holds that of the kernel, which may know more than 1024 CPUs. Where there is no
// mask to be had, all CPUs that are switched on.
int affinity_cpus(GetAffinity get = sched_getaffinity);
int online_cpus() noexcept;  // at least 1

}  // namespace headwise::threads
