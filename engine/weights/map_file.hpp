// The JSON of a name map, checked. Its format is in docs/weights.md.
#pragma once

#include <cstdint>
#include <string>

#include "layouts.hpp"

namespace headwise {

struct MapFile {
  Layout layout;               // names with {layer} where the number of a layer goes
  std::int64_t num_heads = 0;  // 0 when not given
};

// Throws Error(io), or Error(bad_file) with the entry that is wrong.
MapFile read_map_file(const std::string& path);

}  // namespace headwise
