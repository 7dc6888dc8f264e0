// The ISAs that the tests of this room run on.
#pragma once

#include <string>
#include <vector>

#include "headwise/attention.hpp"

// Every ISA that is compiled into this build and present on this CPU, the reference included.
inline std::vector<std::string> running_isas() {
  std::vector<std::string> names;
  for (const headwise::IsaInfo& isa : headwise::list_isas()) {
    if (isa.compiled && isa.present) names.push_back(isa.name);
  }
  return names;
}
