// Threads that sessions share.
#pragma once

#include <memory>

#include "headwise/api.h"

namespace headwise {

namespace threads {
class Crew;
}

// A fixed number of threads for all sessions that name it in SessionOptions::executor. Without one, each thread that
// runs a session has a team of OpenMP's to itself: 64 request threads with sessions of 2 make 64 teams, which get into
// each other's way. With one there are the callers and threads() of its own, and at most threads() work on
// calls that are planned for more than one. The others (too small for a second thread, or of sessions or executors of
// 1) run on their callers' threads at once and are not counted.
//
// Calls begin in the order in which they come. One that finds a thread free is worked on by the thread that makes it,
// too; while others wait, its own threads carry them out one after the other, and their callers sleep until they are
// done, or, where its cancel flag is set, until the next call ends. Alone, a call has all the threads it can use; the
// more callers wait, the fewer does each have, down to one. Threads without work stay awake for 20 µs, within a call
// for 50. They have the affinity and priority of whoever made the executor. The bits of a result do not depend on any
// of it.
//
// Safe to share between threads. Its threads are named "headwise-1" and so on, handle no signals, and end with it, that
// is with the last session that has it. In a child of fork() a session finds that they are gone and starts some of its
// own; children that are to share an executor make a new one.
class HEADWISE_API Executor {
 public:
  // threads: at work at once; 0: default_threads(). Starts fewer when the system has no more of them. Throws
  // Error(invalid_argument) for a number below 0 or above Session::max_threads, Error(out_of_memory).
  explicit Executor(int threads = 0);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int threads() const noexcept;  // at work at once, at least 1
  threads::Crew& crew() noexcept { return *crew_; }

 private:
  std::unique_ptr<threads::Crew> crew_;
};

}  // namespace headwise
