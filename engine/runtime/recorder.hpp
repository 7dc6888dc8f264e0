// What one thread did during a call that is profiled, in memory that exists before the call.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "counters.hpp"
#include "headwise/profile.hpp"
#include "plan.hpp"

namespace headwise::runtime {

// A span in ticks.
struct SpanRecord {
  SpanKind kind;
  int step;
  std::int64_t units;
  std::uint64_t start, end;
};

// What all spans of a step add up to, those that found no room included.
struct StepRecord {
  std::uint64_t work = 0, wait = 0;
  std::int64_t units = 0;
  std::array<std::uint64_t, kernels::attend_parts> parts{};
  CounterValues counters{};
};

class Recorder {
 public:
  // Allocates and forgets.
  void prepare(const ProfileOptions& options);
  void begin(std::uint64_t ticks) noexcept { mark_ = ticks; }
  // A span ends here, and the next begins.
  void close(SpanKind kind, int step, std::int64_t units) noexcept {
    close_at(kernels::read_ticks(), kind, step, units);
  }
  void close_at(std::uint64_t ticks, SpanKind kind, int step, std::int64_t units) noexcept;
  // For every seventh task: six readings of 12 ns would be a fifth of a task of (2, 10, 64, 8 heads), which takes 350.
  // A prime, lest it falls into step with the blocks of a head, of which the last are the longest under a causal mask.
  kernels::AttendTimes* stopwatch() noexcept;

  const std::vector<SpanRecord>& spans() const noexcept { return spans_; }
  const StepRecord& step(int i) const noexcept { return steps_[static_cast<std::size_t>(i)]; }
  std::uint64_t call() const noexcept { return call_; }
  std::uint64_t wait() const noexcept { return wait_; }
  std::int64_t dropped() const noexcept { return dropped_; }

 private:
  static constexpr int every = 7;

  void keep(const SpanRecord& span) noexcept;
  void add(const SpanRecord& span) noexcept;
  void count(const SpanRecord& span) noexcept;

  std::vector<SpanRecord> spans_;
  std::size_t most_ = 0;  // no more are kept, so that the vector never grows
  std::array<StepRecord, Plan::max_steps> steps_{};
  std::uint64_t mark_ = 0, call_ = 0, wait_ = 0;
  std::int64_t dropped_ = 0;
  std::uint32_t tasks_ = 0;
  kernels::AttendTimes times_{};
  bool counts_ = false;
  ThreadCounters counters_;
};

}  // namespace headwise::runtime
