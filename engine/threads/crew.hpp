// The threads behind an Executor, and who of its callers has them.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "team.hpp"

namespace headwise::threads {

// A crew has as many seats as threads of its own. A call takes one for the thread that leads it and one for each other
// that helps. One that finds a free seat is led by the thread that makes it, which need not be woken for that, and
// takes all the seats it can use. The others wait, in the order in which they come, and are led by the crew's threads,
// each of which goes from one to the next while their callers sleep: to wake a caller for its turn would leave a seat
// without work for half a millisecond, as long as a call may take. When others wait behind it, a call takes its share
// of the free seats, at least one: with many callers each call has one thread, and none waits for another at the end of
// a step.
class Crew {
 public:
  // Starts as many threads, or fewer when there are no more to be had. Throws std::bad_alloc.
  explicit Crew(int threads);
  // No call may be at work.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // At least 1: without a thread of its own each call is led by the thread that makes it, at once.
  int threads() const noexcept { return std::max(1, static_cast<int>(helpers_.size())); }
  // From any thread, but not from within `work`. Allocates nothing. Returns how many threads there were: 0 when
  // `cancel` was set while the call waited for its turn, which is looked at whenever another one ends.
  int run(int threads, const Work& work, const std::atomic<bool>* cancel = nullptr) noexcept;
  // Calls that wait for a seat.
  int waiting() const noexcept;
  // False in a child of the process that made the crew: the helpers are not there.
  bool is_here() const noexcept;

 private:
  struct Helper;
  // A call from its coming to its going, on the stack of its caller.
  struct Call {
    const Work* work;
    const std::atomic<bool>* cancel;
    int wanted, seats = 1;
    bool over = false;
    Helper* helpers = nullptr;  // beside the one who leads
    Call* next = nullptr;       // in the queue
    std::condition_variable ended{};
  };

  std::size_t start_helpers() noexcept;
  static void* serve(void* helper);
  static void lead(Call& call) noexcept;
  void lead_waiting(Helper& leader) noexcept;
  bool enter(Call& call) noexcept;
  void leave(Call& call) noexcept;
  Helper& take_helper() noexcept;
  void give_back(Helper& helper) noexcept;
  void seat(Call& call) noexcept;
  void unseat(Call& call) noexcept;
  Call* seat_first() noexcept;
  void seat_waiting() noexcept;
  static void end(Call& call) noexcept;
  void end_cancelled() noexcept;

  std::vector<std::unique_ptr<Helper>> helpers_;
  const int generation_;
  mutable std::mutex mutex_;  // of all below
  int free_seats_ = 0, waiting_ = 0;
  Helper* free_helpers_ = nullptr;
  Call *first_ = nullptr, *last_ = nullptr;  // of those that wait
};

}  // namespace headwise::threads
