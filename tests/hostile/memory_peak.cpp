#include "memory_peak.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "new_operators.hpp"

namespace {

std::atomic<std::int64_t> held{0}, peak{0}, start{0};

void count(void* memory) noexcept {
  const std::int64_t now = held += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t before = peak;
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
}

}  // namespace

void start_memory_peak() noexcept {
  start = peak = held.load();
}

std::int64_t memory_peak() noexcept {
  return peak - start;
}

void* new_memory(std::size_t size, std::size_t alignment, const void*) noexcept {
  void* memory = plain_memory(size, alignment);
  if (memory != nullptr) count(memory);
  return memory;
}

void delete_memory(void* memory) noexcept {
  held -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}
