#include "headwise/build_info.hpp"

#include <new>

#include "commit.hpp"
#include "headwise/attention.hpp"
#include "out_of_memory.hpp"

namespace headwise {

BuildInfo build_info() try {
  std::string isas;
  for (const IsaInfo& isa : list_isas()) isas += (isas.empty() ? "" : " ") + isa.name;
  return {version(), HEADWISE_COMMIT, HEADWISE_COMPILER, HEADWISE_BUILD_TYPE, onednn_version(), isas};
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for a few words about the build");
}

}  // namespace headwise
