// How a file is opened and a layer loaded.
#pragma once

#include "headwise/c/weights.h"
#include "headwise/weights.hpp"

namespace headwise::capi {

// A callback of C; an empty one when there is none.
std::function<void(std::uint64_t, std::uint64_t)> read_progress(headwise_progress progress, void* user);
// NULL stands for all defaults.
OpenOptions read_open_options(const headwise_open_options* options);
LoadOptions read_load_options(const headwise_load_options* options);

}  // namespace headwise::capi
