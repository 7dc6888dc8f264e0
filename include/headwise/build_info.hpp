// Where this library comes from.
#pragma once

#include <string>

#include "headwise/api.h"

namespace headwise {

struct BuildInfo {
  std::string version;   // "0.1.0"
  std::string commit;    // "1187bcb6abcd", with "-dirty" for changes that are not committed; "unknown" without git
  std::string compiler;  // "GNU 12.2.0"
  std::string type;      // "Release"
  std::string onednn;    // the version in use, "2.6.3"
  std::string isas;      // the instruction sets compiled in, fastest first: "avx512 avx2 sse2 reference"
};

// Thread-safe. Throws Error(out_of_memory).
HEADWISE_API BuildInfo build_info();

}  // namespace headwise
