// The threads behind an Executor, and who of its callers has them.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "team.hpp"

namespace headwise::threads {

// A crew has as many seats as threads. A call takes one for the thread that makes it, which works too, and one for each
// helper. Calls are seated in the order in which they come. One that comes alone takes all the seats it can use; when
// others wait behind it, it takes its share of those that are free, at least one: with many callers each works by
// itself, and no thread waits for another at the end of a step.
class Crew {
 public:
  // Starts threads − 1 helpers, or fewer when there are no more to be had. Throws std::bad_alloc.
  explicit Crew(int threads);
  // No call may be at work.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int threads() const noexcept { return static_cast<int>(helpers_.size()) + 1; }
  // From any thread, but not from within `work`. Allocates nothing. Returns how many threads there were.
  int run(int threads, const Work& work) noexcept;
  // False in a child of the process that made the crew: the helpers are not there.
  bool is_here() const noexcept;

 private:
  struct Helper;
  // A call from its coming to its going, on the stack of its caller.
  struct Call {
    int wanted = 1, seats = 0;
    Helper* helpers = nullptr;
    Call* next = nullptr;  // in the queue
    std::condition_variable seated{};
  };

  std::size_t start_helpers() noexcept;
  static void* serve(void* helper);
  void enter(Call& call) noexcept;
  void leave(Call& call) noexcept;
  void seat(Call& call) noexcept;
  void seat_waiting() noexcept;

  std::vector<std::unique_ptr<Helper>> helpers_;
  const int generation_;
  std::mutex mutex_;  // of all below
  int free_seats_ = 1, waiting_ = 0;
  Helper* free_helpers_ = nullptr;
  Call *first_ = nullptr, *last_ = nullptr;  // of those that wait
};

}  // namespace headwise::threads
