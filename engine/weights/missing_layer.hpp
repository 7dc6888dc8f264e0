// The one error for a layer that is not there.
#pragma once

#include "headwise/weights.hpp"

namespace headwise {

// Says which layers are there, which names were looked for, and which names of the file come near them. `all` are the
// layers of the file before prefix and family filtered them.
[[noreturn]] void throw_missing_layer(const WeightFile& file, const std::vector<AttentionLayer>& all,
                                      const LoadOptions& options);

}  // namespace headwise
