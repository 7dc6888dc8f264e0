// What `headwise info` tells.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "machine.hpp"

namespace headwise::tools {

// The kernels that run when no option names others, or why there are none: one of them is empty.
struct IsaInUse {
  std::string name, problem;
};

IsaInUse find_isa();

std::string info_text(const Machine& machine, const IsaInUse& in_use);
std::string info_json(const Machine& machine, const IsaInUse& in_use);

}  // namespace headwise::tools
