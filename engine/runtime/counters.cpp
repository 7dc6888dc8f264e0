#include "counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace headwise::runtime {

namespace {

struct Event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};
constexpr Event events[counter_count] = {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                                         {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                                         {"cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                                         {"page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};

// Of the calling thread on any CPU, in user mode: what an ordinary process may count by default.
int open_event(const Event& event) noexcept {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = event.type;
  wanted.config = event.config;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// The CPU has fewer counters than may be asked of it; then each runs part of the time and stands for all of it.
double read_event(int file) noexcept {
  std::uint64_t data[3] = {};  // value, time enabled, time running
  if (file < 0 || read(file, data, sizeof data) != ssize_t(sizeof data) || data[2] == 0) return 0;
  return double(data[0]) * double(data[1]) / double(data[2]);
}

}  // namespace

const char* counter_name(std::size_t counter) noexcept {
  return events[counter].name;
}

std::string counter_missing(std::size_t counter) {
  const int file = open_event(events[counter]);
  if (file < 0) return std::strerror(errno);
  ::close(file);
  return "";
}

ThreadCounters::ThreadCounters(ThreadCounters&& other) noexcept
    : open_(std::exchange(other.open_, false)), files_(other.files_), last_(other.last_) {}

ThreadCounters::~ThreadCounters() {
  close();
}

void ThreadCounters::open() noexcept {
  for (std::size_t c = 0; c < counter_count; ++c) files_[c] = open_event(events[c]);
  last_ = {};
  open_ = true;
}

void ThreadCounters::close() noexcept {
  if (!open_) return;
  for (const int file : files_) {
    if (file >= 0) ::close(file);
  }
  open_ = false;
}

CounterValues ThreadCounters::take() noexcept {
  CounterValues more{};
  for (std::size_t c = 0; c < counter_count; ++c) {
    const double value = read_event(files_[c]);
    more[c] = value - last_[c];
    last_[c] = value;
  }
  return more;
}

}  // namespace headwise::runtime
