// The threads that work on one call together: a parallel region of OpenMP, or threads of an Executor.
#pragma once

#include "barrier.hpp"

namespace headwise {
class Executor;
}

namespace headwise::threads {

// One of a team's threads; 0 leads.
struct Member {
  int index = 0, members = 1;
  Barrier* barrier = nullptr;  // of the team; not needed by one alone

  // Returns when all members of the team have come here.
  void wait() const noexcept {
    if (members > 1) barrier->wait(members);
  }
};

// What each member runs: a function object that outlives it, called as function(member) and noexcept.
class Work {
 public:
  template <class Function>
  Work(Function& function) noexcept
      : function_(&function),
        call_([](void* f, const Member& member) noexcept { (*static_cast<Function*>(f))(member); }) {}
  void run(const Member& member) const noexcept { call_(function_, member); }

 private:
  void* function_;
  void (*call_)(void* function, const Member& member) noexcept;
};

struct Team {
  int threads;                                // at most
  Executor* executor = nullptr;               // without one: a parallel region, not to be started once lost_threads()
  const std::atomic<bool>* cancel = nullptr;  // ends the wait for an executor's threads
};

// Runs it on fewer threads where no more are to be had, and returns their number when all are done; 0 when it was
// cancelled before it began.
int run_team(const Team& team, const Work& work) noexcept;

}  // namespace headwise::threads
