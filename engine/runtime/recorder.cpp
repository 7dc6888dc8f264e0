#include "recorder.hpp"

#include <algorithm>

namespace headwise::runtime {

void Recorder::prepare(const ProfileOptions& options) {
  most_ = static_cast<std::size_t>(options.max_spans);
  if (spans_.capacity() < most_) spans_ = std::vector<SpanRecord>(most_);  // written, so that no page is missing later
  spans_.clear();
  steps_ = {};
  call_ = wait_ = 0;
  dropped_ = 0;
  tasks_ = 0;
  times_ = {};
  counts_ = options.counters;
  counters_.close();
}

kernels::AttendTimes* Recorder::stopwatch() noexcept {
  if (tasks_++ % every != 0) return nullptr;
  times_.mark = kernels::read_ticks();
  return &times_;
}

void Recorder::close_at(std::uint64_t ticks, SpanKind kind, int step, std::int64_t units) noexcept {
  const SpanRecord span{kind, step, units, mark_, std::max(ticks, mark_)};
  mark_ = span.end;
  keep(span);
  add(span);
  if (counts_) count(span);
}

void Recorder::keep(const SpanRecord& span) noexcept {
  if (spans_.size() < most_) {
    spans_.push_back(span);
  } else {
    ++dropped_;
  }
}

void Recorder::add(const SpanRecord& span) noexcept {
  const std::uint64_t ticks = span.end - span.start;
  if (span.kind == SpanKind::call) call_ += ticks;
  if (span.kind == SpanKind::wait) wait_ += ticks;
  if (span.step < 0) return;
  StepRecord& step = steps_[static_cast<std::size_t>(span.step)];
  (span.kind == SpanKind::work ? step.work : step.wait) += ticks;
  step.units += span.units;
  if (span.kind != SpanKind::work) return;
  for (std::size_t p = 0; p < step.parts.size(); ++p) step.parts[p] += times_.ticks[p];
  times_ = {};
}

// Opened by the thread itself: counters belong to the thread that makes them.
void Recorder::count(const SpanRecord& span) noexcept {
  if (!counters_.is_open()) counters_.open();
  const CounterValues more = counters_.take();
  if (span.kind != SpanKind::work || span.step < 0) return;
  CounterValues& sum = steps_[static_cast<std::size_t>(span.step)].counters;
  for (std::size_t c = 0; c < more.size(); ++c) sum[c] += more[c];
}

}  // namespace headwise::runtime
