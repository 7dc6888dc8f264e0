// Where this program comes from.
#pragma once

#include <string>

namespace headwise::tools {

struct BuildInfo {
  std::string commit;    // "1187bcb6abcd", with "-dirty" for changes that are not committed; "unknown" without git
  std::string compiler;  // "GNU 12.2.0"
  std::string type;      // "Release"
};

BuildInfo build_info();

}  // namespace headwise::tools
