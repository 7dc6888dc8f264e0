// What the operating system says about the machine; everything is empty or 0 where it says nothing.
#pragma once

#include <string>
#include <vector>

namespace headwise::tools {

struct Cache {
  int level = 0;
  std::string type;       // "data", "instruction", "unified"
  std::string size;       // "1024K", as the system spells it
  std::string shared_by;  // "0-7"
};

struct Machine {
  std::string cpu_name;
  int affinity_cpus = 0;  // CPUs that this process may run on
  int online_cpus = 0;
  double memory_bytes = 0;  // of the whole machine
  std::string cpu_quota;    // "1.5 CPUs"; "" for none
  std::vector<Cache> caches;
};

Machine read_machine();
// What the default number of threads rests on, in words.
std::string thread_reason(const Machine& machine);

}  // namespace headwise::tools
