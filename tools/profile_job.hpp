// Runs a call under the profiler as often as it takes.
#pragma once

#include "profile_roofs.hpp"
#include "sized_call.hpp"

namespace headwise::tools {

struct ProfileCommandOptions : SizedOptions {
  int repeat = 0;           // 0: as many calls as fit into half a second
  std::string trace, html;  // files to write
  bool limits = true;
};

struct ProfileResult {
  // Times are means over the middle half of the calls by length, so they add up; the spans are those of the median
  // call.
  Profile profile;
  int calls = 0;
  Roofs roofs;
};

ProfileResult profile_call(SizedCall& call, const ProfileCommandOptions& options, const Console& console);

}  // namespace headwise::tools
