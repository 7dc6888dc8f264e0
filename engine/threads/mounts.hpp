// Where the control groups of this process lie in the file system.
#pragma once

#include <string>
#include <vector>

namespace headwise::threads {

struct GroupFolder {
  int version = 2;
  std::string mount_point;  // "/sys/fs/cgroup"
  std::string folder;       // of the process's own group: the mount point or a folder below it
};

// The groups that may limit CPU time: one of version 2, one of version 1 with the controller "cpu", either, both or
// none. See proc(5) for /proc/self/cgroup and /proc/self/mountinfo; `root` stands before both.
std::vector<GroupFolder> cpu_group_folders(const std::string& root);

}  // namespace headwise::threads
