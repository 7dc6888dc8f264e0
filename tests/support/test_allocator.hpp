// A caller's allocator that counts what it gives and takes, fills memory with rubbish, and fails when told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

#include "headwise/memory.hpp"

class TestAllocator {
 public:
  headwise::Allocator get() { return {allocate, release, this}; }

  int fail_after = -1;      // so many more allocations succeed; −1: all
  bool misaligned = false;  // give addresses that are 4 bytes off
  std::function<void()> on_allocate{};

  std::size_t held() const { return held_; }           // bytes now
  std::int64_t allocations() const { return count_; }  // so far
  bool wrong() const { return wrong_; }                // a size or address came back that was never given

  static void* allocate(std::size_t size, std::size_t alignment, void* user) {
    return static_cast<TestAllocator*>(user)->give(size, alignment);
  }
  static void release(void* memory, std::size_t size, void* user) {
    static_cast<TestAllocator*>(user)->take(memory, size);
  }

 private:
  void* give(std::size_t size, std::size_t alignment) {
    if (on_allocate) on_allocate();
    const std::lock_guard lock(mutex_);
    if (size == 0 || alignment % 64 != 0) wrong_ = true;
    if (fail_after == 0) return nullptr;
    if (fail_after > 0) --fail_after;
    char* memory = static_cast<char*>(std::aligned_alloc(alignment, (size + 2 * alignment) / alignment * alignment));
    std::memset(memory, 0xFF, size);
    memory += misaligned ? 4 : 0;
    sizes_[memory] = {size, misaligned};
    held_ += size;
    ++count_;
    return memory;
  }
  void take(void* memory, std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto found = sizes_.find(memory);
    if (found == sizes_.end() || found->second.size != size) {
      wrong_ = true;
      return;
    }
    std::free(static_cast<char*>(memory) - (found->second.misaligned ? 4 : 0));
    held_ -= size;
    sizes_.erase(found);
  }

  struct Piece {
    std::size_t size;
    bool misaligned;
  };
  std::mutex mutex_;
  std::map<void*, Piece> sizes_;
  std::atomic<std::size_t> held_{0};
  std::atomic<std::int64_t> count_{0};
  std::atomic<bool> wrong_{false};
};
