// How much memory operator new has given out at once. Tensors come from calloc and do not count.
#pragma once

#include <cstdint>

void start_memory_peak() noexcept;
std::int64_t memory_peak() noexcept;  // bytes above what was held at the start
