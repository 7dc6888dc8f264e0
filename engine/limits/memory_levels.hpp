// Sizes of buffers that show the bandwidth of each level.
#pragma once

#include "caches.hpp"
#include "headwise/limits.hpp"

namespace headwise::limits {

std::vector<MemoryLevel> levels_of(const std::vector<Cache>& caches, int threads);

}  // namespace headwise::limits
