// The plan of a call in words and in JSON.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "json_output.hpp"

namespace headwise::tools {

std::string step_names(const Explanation& plan);  // "ProjectQkv → Attend → ProjectOutput"
std::string plan_text(const Explanation& plan);   // a table of the steps, and why it is not faster
double total_flops(const Explanation& plan);
// "isa", "kernel", "schedule", "threads", "scratch_bytes", "steps", "flops", "live_pairs", "reasons".
Json plan_json(const Explanation& plan);

}  // namespace headwise::tools
