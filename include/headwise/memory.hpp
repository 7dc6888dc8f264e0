// Memory of the caller's own for what is large and stays: packed weights, scratch, caches.
#pragma once

#include <cstddef>

namespace headwise {

// Both functions, or none for memory from the system, which lies in huge pages where those are to be had. They may be
// called from any thread that makes or ends an object, or runs a session, and by several at once; `user` must outlive
// all of those objects and their copies.
struct Allocator {
  // At least `size` bytes (never 0) at a multiple of `alignment` (a power of two), with any content; nullptr when there
  // are none, which the caller of headwise sees as Error(out_of_memory), as he does an address that is not aligned.
  // Must not throw.
  void* (*allocate)(std::size_t size, std::size_t alignment, void* user) = nullptr;
  // What allocate returned for this size. Must not throw.
  void (*release)(void* memory, std::size_t size, void* user) = nullptr;
  void* user = nullptr;
};

}  // namespace headwise
