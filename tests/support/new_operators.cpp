#include "new_operators.hpp"

#include <cstdlib>
#include <new>

// A program's own definitions come before those of the C++ library for all shared libraries too, oneDNN and libgomp
// included.
#define HEADWISE_EXPORT __attribute__((visibility("default")))
#define HEADWISE_CALLER __builtin_return_address(0)

namespace {

using Alignment = std::align_val_t;
using NoThrow = std::nothrow_t;

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

std::size_t bytes(Alignment alignment) noexcept {
  return static_cast<std::size_t>(alignment);
}

}  // namespace

void* plain_memory(std::size_t size, std::size_t alignment) noexcept {
  if (alignment == 0) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

HEADWISE_EXPORT void* operator new(std::size_t size) {
  return or_throw(new_memory(size, 0, HEADWISE_CALLER));
}
HEADWISE_EXPORT void* operator new(std::size_t size, const NoThrow&) noexcept {
  return new_memory(size, 0, HEADWISE_CALLER);
}
HEADWISE_EXPORT void* operator new(std::size_t size, Alignment alignment) {
  return or_throw(new_memory(size, bytes(alignment), HEADWISE_CALLER));
}
HEADWISE_EXPORT void* operator new(std::size_t size, Alignment alignment, const NoThrow&) noexcept {
  return new_memory(size, bytes(alignment), HEADWISE_CALLER);
}
HEADWISE_EXPORT void operator delete(void* memory) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete(void* memory, std::size_t) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete(void* memory, Alignment) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete(void* memory, std::size_t, Alignment) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete(void* memory, const NoThrow&) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete(void* memory, Alignment, const NoThrow&) noexcept {
  delete_memory(memory);
}

HEADWISE_EXPORT void* operator new[](std::size_t size) {
  return or_throw(new_memory(size, 0, HEADWISE_CALLER));
}
HEADWISE_EXPORT void* operator new[](std::size_t size, const NoThrow&) noexcept {
  return new_memory(size, 0, HEADWISE_CALLER);
}
HEADWISE_EXPORT void* operator new[](std::size_t size, Alignment alignment) {
  return or_throw(new_memory(size, bytes(alignment), HEADWISE_CALLER));
}
HEADWISE_EXPORT void* operator new[](std::size_t size, Alignment alignment, const NoThrow&) noexcept {
  return new_memory(size, bytes(alignment), HEADWISE_CALLER);
}
HEADWISE_EXPORT void operator delete[](void* memory) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete[](void* memory, std::size_t) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete[](void* memory, Alignment) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete[](void* memory, std::size_t, Alignment) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete[](void* memory, const NoThrow&) noexcept {
  delete_memory(memory);
}
HEADWISE_EXPORT void operator delete[](void* memory, Alignment, const NoThrow&) noexcept {
  delete_memory(memory);
}
