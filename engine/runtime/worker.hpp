// One thread of a session.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "plan.hpp"
#include "recorder.hpp"
#include "turn.hpp"

namespace headwise::runtime {

class Worker {
 public:
  // What it multiplies with: the products of a plan's model, or of several models one after the other; null where one
  // has none. Plan::first_product says where a model's begin.
  explicit Worker(std::span<const projection::Linear* const> products);

  // Starts a step: units come from a counter that all threads share, or from one of this thread's own when it is null.
  void begin_step(std::atomic<std::int64_t>* shared) noexcept {
    shared_ = shared;
    next_ = 0;
    taken_ = 0;
  }
  // Takes the next unit of `count`; false when there are none left or the call was cancelled.
  bool take(std::int64_t count, std::int64_t& unit) noexcept {
    if (is_stopped()) return false;
    unit = shared_ != nullptr ? shared_->fetch_add(1, std::memory_order_relaxed) : next_++;
    const bool got = unit < count;
    taken_ += got ? 1 : 0;
    return got;
  }

  // Ends a span of this thread's time, if anybody wants to know.
  void note(SpanKind kind, int step = -1) noexcept {
    if (recorder != nullptr) recorder->close(kind, step, kind == SpanKind::work ? taken_ : 0);
  }
  // The stopwatch of the next task of an attention step; nullptr for most.
  kernels::AttendTimes* stopwatch() const noexcept { return recorder == nullptr ? nullptr : recorder->stopwatch(); }

  bool is_stopped() const noexcept { return stop != nullptr && stop->is_set(); }

  // False when oneDNN reports an error. A call that can be cancelled goes in pieces, see worker.cpp.
  bool multiply(std::size_t product, const projection::RowBlock& rows, const projection::ColumnPart& part,
                void* scratch) noexcept;

  float* memory = nullptr;       // Plan::worker.floats
  bool failed = false;           // oneDNN reported an error
  bool out_of_memory = false;    // and this was why
  Recorder* recorder = nullptr;  // of a call that is profiled
  Stop* stop = nullptr;          // of a call that can be cancelled

 private:
  std::vector<std::optional<projection::LinearCall>> calls_;
  std::atomic<std::int64_t>* shared_ = nullptr;
  std::int64_t next_ = 0;
  std::int64_t taken_ = 0;  // units of this step
};

}  // namespace headwise::runtime
