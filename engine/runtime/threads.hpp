// How many threads this process may use.
#pragma once

#include <string>

namespace headwise::runtime {

// CPUs in the affinity mask, at least 1.
int affinity_threads() noexcept;
// The cgroup quota of version 2 ("200000 100000") or 1 (quota and period in two files), rounded up; 0: no limit. The
// folder stands for /sys/fs/cgroup, so that tests can bring their own.
int quota_threads(const std::string& cgroup_folder) noexcept;

}  // namespace headwise::runtime
