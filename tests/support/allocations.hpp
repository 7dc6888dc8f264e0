// Counts the allocations of this process and lets chosen ones fail.
#pragma once

#include <cstdint>

// AddressSanitizer brings its own malloc, which must stay in place.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
inline constexpr bool counts_allocations = false;
#else
inline constexpr bool counts_allocations = true;
#endif

// Of all threads, by whichever function and in whichever library; 0 where a sanitizer owns malloc.
std::int64_t allocations() noexcept;       // so far
std::int64_t live_allocations() noexcept;  // those that were not freed

struct Failure {
  enum class After { succeed, fail } after = After::succeed;
  enum class Of { headwise, onednn, libzip } of = Of::headwise;
};
// From now on the number-th allocation (from 1) by operator new or calloc, in any thread, fails, and so do all after it
// if wanted. These are the two that headwise allocates by; malloc and realloc serve the libraries below it, and fail in
// the code of libzip only. Allocations by the code of a shared oneDNN and of libzip are counted apart. Under a
// sanitizer only operator new can fail.
void fail_allocation(std::int64_t number, const Failure& failure) noexcept;
// All allocations succeed again. True when one has failed.
bool end_failures() noexcept;
