// The one error for a layer that is not there.
#pragma once

#include "layout_search.hpp"
#include "name_map.hpp"

namespace headwise {

// Says which layers are there, which names were looked for, and which names of the file come near them. `all` are the
// layers of the file before prefix and family filtered them.
[[noreturn]] void throw_missing_layer(const WeightFile& file, const std::vector<LaidOutLayer>& all,
                                      const LoadOptions& options);
// The same for layer `number` of a map.
[[noreturn]] void throw_missing_mapped(const WeightFile& file, const NameMap& map, std::int64_t number);

}  // namespace headwise
