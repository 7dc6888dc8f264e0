// Counts every allocation of this process, by whichever function and in whichever library.
#pragma once

#include <cstdint>

// AddressSanitizer brings its own malloc, which must stay in place.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
inline constexpr bool counts_allocations = false;
#else
inline constexpr bool counts_allocations = true;
#endif

std::int64_t allocations() noexcept;  // so far, of all threads
