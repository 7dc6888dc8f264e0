// What the system says of the caches that hold data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headwise::limits {

struct Cache {
  int level;
  std::int64_t bytes;
  int cpus;  // that share it
};

// Of one CPU, from the core outwards. The folder stands for /sys/devices/system/cpu/cpu0/cache, so that tests can bring
// their own; what it lacks is asked of sysconf, and where that knows nothing a common CPU stands in.
std::vector<Cache> data_caches(const std::string& folder);

// Bytes of "32K", "1M" or "512"; 0 for anything else.
std::int64_t parse_size(const std::string& text);
// How many CPUs a list like "0-3,8,10-11" names; 1 for one that can't be read.
int count_cpus(const std::string& list);

}  // namespace headwise::limits
