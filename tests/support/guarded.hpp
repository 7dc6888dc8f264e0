// Memory between two pages that nobody may touch: reading or writing one element too far ends the process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <new>

class GuardedFloats {
 public:
  // at_end: the last float stands right before the guard page; otherwise the first right behind the other one.
  explicit GuardedFloats(std::int64_t count, bool at_end = true) : count_(count) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    base_ = ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* start = static_cast<char*>(base_) + page;
    if (base_ == MAP_FAILED || (inner > 0 && ::mprotect(start, inner, PROT_READ | PROT_WRITE) != 0)) {
      throw std::bad_alloc();
    }
    data_ = reinterpret_cast<float*>(at_end ? start + inner - bytes : start);
  }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;
  ~GuardedFloats() { ::munmap(base_, size_); }

  float* data() { return data_; }
  float* begin() { return data_; }
  float* end() { return data_ + count_; }
  float& operator[](std::int64_t i) { return data_[i]; }

 private:
  std::int64_t count_;
  std::size_t size_ = 0;
  void* base_ = nullptr;
  float* data_ = nullptr;
};
