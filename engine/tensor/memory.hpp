// Where the memory of tensors comes from.
#pragma once

#include <cstddef>

#include "headwise/memory.hpp"

namespace headwise {

constexpr std::size_t huge_page = std::size_t{2} << 20;

// What a tensor of so many bytes is aligned to: a cache line, which is the widest vector register too, or a huge page.
constexpr std::size_t alignment_of(std::size_t bytes) noexcept {
  return bytes < huge_page ? 64 : huge_page;
}

// Throws Error(invalid_argument) when one of the two functions is missing.
void check_allocator(const Allocator& allocator);
// Zeroed memory of a caller's allocator, aligned to a cache line. Throws Error(out_of_memory).
void* allocate_zeroed(std::size_t bytes, const Allocator& allocator);
// What is asked of it: a tensor without elements has an address too.
constexpr std::size_t asked_size(std::size_t bytes) noexcept {
  return bytes == 0 ? 1 : bytes;
}

// Zeroed memory for std::free, in which `bytes` fit behind the first aligned address. Throws Error(out_of_memory).
void* allocate_zeroed(std::size_t bytes);
// That address. It is never null, not even for an empty tensor.
void* aligned(void* memory, std::size_t bytes) noexcept;

}  // namespace headwise
