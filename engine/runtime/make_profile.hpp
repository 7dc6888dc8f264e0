// A profiled call: its clock, and what its threads recorded made into a Profile.
#pragma once

#include <chrono>

#include "worker.hpp"

namespace headwise::runtime {

// Throws Error(invalid_argument).
void check_options(const ProfileOptions& options);

// Hands every worker its recorder from here until it is destroyed, whatever the call between throws.
class Recording {
 public:
  Recording(std::vector<Worker>& workers, std::vector<Recorder>& recorders, const ProfileOptions& options);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();
  void end() noexcept;

  const std::vector<Recorder>& recorders() const noexcept { return recorders_; }
  bool counts() const noexcept { return counts_; }
  double seconds() const noexcept { return seconds_; }
  double seconds(std::uint64_t ticks) const noexcept { return double(ticks) * tick_; }
  std::uint64_t begin_ticks() const noexcept { return begin_ticks_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::vector<Worker>& workers_;
  std::vector<Recorder>& recorders_;
  bool counts_;
  Clock::time_point begin_;
  std::uint64_t begin_ticks_ = 0;
  double seconds_ = 0, tick_ = 0;
};

Profile make_profile(const Plan& plan, const Recording& recording, Explanation explanation);

}  // namespace headwise::runtime
