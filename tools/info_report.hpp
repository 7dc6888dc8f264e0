// What `headwise info` tells.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "machine.hpp"

namespace headwise::tools {

std::string info_text(const Machine& machine, const std::string& isa_in_use);
std::string info_json(const Machine& machine, const std::string& isa_in_use);

}  // namespace headwise::tools
