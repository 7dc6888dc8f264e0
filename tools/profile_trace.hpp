// A profile in the Chrome trace event format, which Perfetto and chrome://tracing open.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

namespace headwise::tools {

// One complete event ("ph": "X") a span, in microseconds, and the names of process and threads.
std::string trace_text(const Profile& profile);

}  // namespace headwise::tools
