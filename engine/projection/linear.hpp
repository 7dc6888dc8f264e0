// y = f(x·Wᵀ + b) with weights that are packed once and an activation f or none. Nothing of oneDNN shows in this
// header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "activate.hpp"
#include "headwise/memory.hpp"

namespace headwise::kernels {
struct KernelTable;
}

namespace headwise::projection {

class Panels;

// Rows of W that lie together in memory, [out, in] row-major, with their bias [out] or nullptr.
struct LinearPart {
  const float* weight;
  const float* bias;
  std::int64_t out;
};

struct LinearShape {
  std::int64_t in = 0;
  std::int64_t out = 0;
  // Floats from one output row to the next, ≥ out; what lies past `out` is left alone, or set to zeros by oneDNN: its
  // version 2.6 leaves its fast path when a destination has a stride of its own, so a padded row is made of extra rows
  // of zeros in W instead.
  std::int64_t row_stride = 0;
  kernels::Activation activation = kernels::Activation::none;  // of the results
};

// Rows to multiply: x [count, in] dense, y [count, row_stride].
struct RowBlock {
  const float* x;
  std::int64_t count;
  float* y;
};

// One of `parts` groups of output columns.
struct ColumnPart {
  std::int64_t index = 0, parts = 1;
};

// Immutable; any number of threads may run calls on it. A row's bits do not depend on how many rows run with it.
// The product is that of a kernel table, or oneDNN's where the table has none.
class Linear {
 public:
  // The parts lie one after the other in W and sum to shape.out. Without a table oneDNN multiplies. Packed weights lie
  // in memory of the allocator. Throws headwise::Error when oneDNN or the allocator fails.
  Linear(std::span<const LinearPart> parts, const LinearShape& shape, const kernels::KernelTable* table,
         const Allocator& allocator = {});
  // weight: [out, in] row-major; bias: [out] or nullptr.
  Linear(const float* weight, const float* bias, const LinearShape& shape, const kernels::KernelTable* table = nullptr,
         const Allocator& allocator = {});
  Linear(Linear&&) noexcept;
  ~Linear();

  // The product of shape.out output columns from `first` on, in the same memory; nullopt when they can't be run alone.
  std::optional<Linear> columns(std::int64_t first, const LinearShape& shape) const;

  const LinearShape& shape() const noexcept { return shape_; }
  std::int64_t max_parts() const noexcept;     // groups of output columns that can be run apart
  std::size_t scratch_bytes() const noexcept;  // what one call needs, 64-byte aligned
  std::string implementation() const;          // "panels", or oneDNN's name of the kernel, "brg:avx512_core"

 private:
  friend class LinearCall;
  struct Packed;
  explicit Linear(const LinearShape& shape);

  LinearShape shape_;
  std::unique_ptr<Panels> panels_;  // one of the two
  std::unique_ptr<Packed> packed_;
};

// One thread's handle on a Linear: oneDNN's memory objects are mutable, so every thread has its own. Must not outlive
// the Linear. Runs on the calling thread alone when it is inside an OpenMP region or under a SingleThread guard.
class LinearCall {
 public:
  explicit LinearCall(const Linear& linear);
  LinearCall(LinearCall&&) noexcept;
  ~LinearCall();

  const Linear& linear() const noexcept { return *linear_; }

  // Only the columns of a part of at most Linear::max_parts(). Returns false when oneDNN reports a failure.
  bool run(const RowBlock& rows, const ColumnPart& part, void* scratch) noexcept;
  // Why the last run failed.
  bool ran_out_of_memory() const noexcept;

 private:
  struct Handles;
  const Linear* linear_;
  std::unique_ptr<Handles> handles_;  // null where the product is not oneDNN's
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

std::string onednn_version();  // "2.6.3", "none" when it cannot be loaded

}  // namespace headwise::projection
