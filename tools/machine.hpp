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
  double memory_bytes = 0;  // of the whole machine
  std::vector<Cache> caches;
};

Machine read_machine();

}  // namespace headwise::tools
