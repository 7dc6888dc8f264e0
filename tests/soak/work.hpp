// Random calls with the results of a serial run, for workers that do them again and again.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "random.hpp"
#include "run.hpp"

// Where a case comes from. With a number of calls its layer gets so many random calls without a cache; with 0 it is the
// case as it is drawn, which may have a cache and then takes its calls in order.
struct Recipe {
  std::uint64_t seed;
  int number;
  int calls;
};

// A model, what is asked of it, and the answers of a serial run.
struct Job {
  Recipe recipe;
  differential::Case one;
  std::shared_ptr<const headwise::MultiHeadAttention> model;
  std::shared_ptr<const std::vector<differential::Results>> expected;  // one a call
};

Job make_job(const Recipe& recipe);
// The same calls in memory of their own, since a case owns what its outputs are written to; the rest is shared.
Job copy_of(const Job& job);

// One thread of the server: a session that lives long, and short ones beside it.
class SoakWorker {
 public:
  SoakWorker(const Job& own, const std::deque<Job>& others, int threads);

  // Works until `stop`; the first wrong result ends it.
  void work(const std::atomic<bool>& stop);
  std::int64_t calls() const { return calls_; }
  const std::string& problem() const { return problem_; }  // empty: all was right

 private:
  void run_own_call();
  void run_other_job();
  void check(const differential::Results& expected, const differential::Results& actual);

  Job own_;
  std::deque<Job> others_;  // a vector would copy cases as it grows, and views of a copy point into the original
  headwise::SessionOptions options_;
  headwise::Session session_;
  Random random_;
  std::int64_t calls_ = 0;
  std::string problem_;
};
