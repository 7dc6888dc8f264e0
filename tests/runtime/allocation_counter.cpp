#include "allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>

namespace {
std::atomic<std::int64_t> count{0};
}  // namespace

std::int64_t allocations() noexcept {
  return count.load();
}

// The executable's own definitions come before those of the C library for all shared libraries too, oneDNN and libgomp
// included. operator new and its aligned forms end up here.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define HEADWISE_EXPORT __attribute__((visibility("default")))

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

HEADWISE_EXPORT void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
HEADWISE_EXPORT void* calloc(std::size_t number, std::size_t size) {
  ++count;
  return __libc_calloc(number, size);
}
HEADWISE_EXPORT void* realloc(void* memory, std::size_t size) {
  ++count;
  return __libc_realloc(memory, size);
}
HEADWISE_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
HEADWISE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
HEADWISE_EXPORT int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++count;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif
