#include "memory_peak.hpp"

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> held{0}, peak{0}, start{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::int64_t now = held += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t before = peak;
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
  return memory;
}

void uncount(void* memory) noexcept {
  held -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void start_memory_peak() noexcept {
  start = peak = held.load();
}

std::int64_t memory_peak() noexcept {
  return peak - start;
}

// The other forms of new and delete, but for the aligned ones, end up at these. Never inlined, or the compiler sees
// malloc paired with delete and warns.
[[gnu::noinline]] void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size);
  return memory == nullptr ? nullptr : counted(memory);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  uncount(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  uncount(memory);
}
