// What a plan will do, and why not something faster.
#pragma once

#include "plan.hpp"

namespace headwise::runtime {

Explanation explain(const Plan& plan, int session_threads);

}  // namespace headwise::runtime
