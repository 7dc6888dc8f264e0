#pragma once

#include <string>
#include <vector>

#include "call.hpp"
#include "elements.hpp"

namespace differential {

// Several lines from which a reader can rebuild the case.
std::string describe(const Case& one);
// Names of the options that a case uses, so that a run can say what it covered.
std::vector<std::string> options_of(const Case& one);

}  // namespace differential
