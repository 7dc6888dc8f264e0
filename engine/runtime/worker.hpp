// One thread of a session.
#pragma once

#include <atomic>
#include <optional>

#include "plan.hpp"

namespace headwise::runtime {

class Worker {
 public:
  explicit Worker(const Model& model);

  // Starts a step: units come from a counter that all threads share, or from one of this thread's own when it is null.
  void begin_step(std::atomic<std::int64_t>* shared) noexcept {
    shared_ = shared;
    next_ = 0;
  }
  // Takes the next unit of `count`; false when there are none left.
  bool take(std::int64_t count, std::int64_t& unit) noexcept {
    unit = shared_ != nullptr ? shared_->fetch_add(1, std::memory_order_relaxed) : next_++;
    return unit < count;
  }

  bool multiply(Product product, const float* x, std::int64_t rows, float* y, void* scratch) noexcept {
    const bool ok = calls_[static_cast<std::size_t>(product)]->run(x, rows, y, scratch);
    failed = failed || !ok;
    return ok;
  }

  float* memory = nullptr;  // Plan::worker.floats
  bool failed = false;      // oneDNN reported an error

 private:
  std::array<std::optional<projection::LinearCall>, product_count> calls_;
  std::atomic<std::int64_t>* shared_ = nullptr;
  std::int64_t next_ = 0;
};

}  // namespace headwise::runtime
