// y = x·Wᵀ + b with weights that are packed once. Nothing of oneDNN shows in this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace headwise::projection {

struct LinearShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  // Floats from one output row to the next, ≥ out; the columns past `out` are written as zeros. oneDNN 2.6 leaves its
  // fast path when a destination has a stride of its own, so a padded row is made of extra rows of zeros in W instead.
  std::int64_t row_stride = 0;
};

// Immutable; any number of threads may run calls on it. A row's bits do not depend on how many rows run with it.
class Linear {
 public:
  // weight: [out, in] row-major; bias: [out] or nullptr. Throws headwise::Error when oneDNN fails.
  Linear(const float* weight, const float* bias, const LinearShape& shape);
  Linear(Linear&&) noexcept;
  ~Linear();

  const LinearShape& shape() const noexcept;
  std::size_t scratch_bytes() const noexcept;  // what one call needs, 64-byte aligned
  std::string implementation() const;          // oneDNN's name of the kernel, "brg:avx512_core"

 private:
  friend class LinearCall;
  struct Packed;
  std::unique_ptr<Packed> packed_;
};

// One thread's handle on a Linear: oneDNN's memory objects are mutable, so every thread has its own. Must not outlive
// the Linear. Runs on the calling thread alone when it is inside an OpenMP region or under a SingleThread guard.
class LinearCall {
 public:
  explicit LinearCall(const Linear& linear);
  LinearCall(LinearCall&&) noexcept;
  ~LinearCall();

  // x: [rows, in] dense; y: [rows, row_stride]. Returns false when oneDNN reports a failure.
  bool run(const float* x, std::int64_t rows, float* y, void* scratch) noexcept;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

// Makes oneDNN use one thread on the calling thread while it lives; the caller's OpenMP setting comes back afterwards.
class SingleThread {
 public:
  SingleThread() noexcept;
  ~SingleThread();
  SingleThread(const SingleThread&) = delete;
  SingleThread& operator=(const SingleThread&) = delete;

 private:
  int before_;
};

std::string onednn_version();

}  // namespace headwise::projection
