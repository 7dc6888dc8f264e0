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
  // Times are medians over the calls, each of its own; the spans are those of the call whose length is the median.
  Profile profile;
  int calls = 0;
  Roofs roofs;

  double thread_seconds() const;  // of all threads, in steps, around them and waiting: what shares refer to
};

ProfileResult profile_call(SizedCall& call, const ProfileCommandOptions& options, const Console& console);

}  // namespace headwise::tools
