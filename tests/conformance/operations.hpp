// The calls of headwise that a case can ask for. Each fills the results of the case.
#pragma once

#include "case.hpp"

namespace headwise::conformance {

void run_attention(Case& test);
void run_rotary(Case& test);
void run_scatter(Case& test);

}  // namespace headwise::conformance
