#include "build_info.hpp"

#include "commit.hpp"

namespace headwise::tools {

BuildInfo build_info() {
  return {HEADWISE_COMMIT, HEADWISE_COMPILER, HEADWISE_BUILD_TYPE};
}

}  // namespace headwise::tools
