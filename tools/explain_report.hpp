// What `headwise explain` tells about a call that did not run, and profile about one that did.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "json_output.hpp"
#include "sized_call.hpp"
#include "text.hpp"

namespace headwise::tools {

// The rows that tell a call: layer, inputs, cache, outputs, kernel, schedule.
void add_call_rows(Table& table, const SizedCall& call, const Explanation& plan, const SizedOptions& options);
// The same and the plan: what layer_json and plan_json tell, "inputs", "outputs", "cached_tokens".
Json call_json(const SizedCall& call, const Explanation& plan, const SizedOptions& options);

std::string explain_text(const SizedCall& call, const Explanation& plan, const SizedOptions& options);
std::string explain_json(const SizedCall& call, const Explanation& plan, const SizedOptions& options);

}  // namespace headwise::tools
