// The CPU time that control groups leave to this process.
#pragma once

#include <string>

namespace headwise::threads {

struct CpuQuota {
  double cpus = 0;   // 0: no limit
  std::string file;  // where it stands
};

// The smallest quota of the process's group and of all groups above it, version 1 or 2 (cgroups(7), section "cpu" of
// the kernel's cgroup-v2 document). `root` stands before /proc and before the mount points, so that tests can bring a
// system of their own. A file that is missing or makes no sense is no limit.
CpuQuota cpu_quota(const std::string& root = "");

}  // namespace headwise::threads
