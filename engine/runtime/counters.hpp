// Event counters of the calling thread, from the kernel (perf_event_open).
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace headwise::runtime {

constexpr std::size_t counter_count = 4;
using CounterValues = std::array<double, counter_count>;

const char* counter_name(std::size_t counter) noexcept;
// "" when this process may count it; else what the system said.
std::string counter_missing(std::size_t counter);

class ThreadCounters {
 public:
  ThreadCounters() noexcept = default;
  ThreadCounters(ThreadCounters&& other) noexcept;
  ThreadCounters& operator=(ThreadCounters&&) = delete;
  ~ThreadCounters();

  bool is_open() const noexcept { return open_; }
  void open() noexcept;  // those that the system has
  void close() noexcept;
  // What was counted since the last time; 0 for what is not counted.
  CounterValues take() noexcept;

 private:
  bool open_ = false;
  std::array<int, counter_count> files_{};  // descriptors, −1 for none
  CounterValues last_{};
};

}  // namespace headwise::runtime
