// Alternating rounds: every round visits every case, so that a machine that drifts does it to all of them alike.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench_call.hpp"
#include "bench_options.hpp"

namespace headwise::tools {

struct BenchTimes {
  std::vector<double> rounds;  // the median of each round, seconds
  std::vector<double> calls;   // all of them, seconds
  std::vector<double> peaks;   // FLOP/s of the FMA peak with this ISA and so many threads, one a round; or empty
  Explanation plan;
};

struct BenchRun {
  std::vector<BenchTimes> times;  // one a case
  bool complete = true;           // false: interrupted, and the last cases may have no times
};

// Measures until all rounds are done or the user interrupts (SIGINT); a second interrupt ends the process.
BenchRun measure_cases(const std::vector<BenchCase>& cases, BenchModels& models, const BenchEffort& effort,
                       const Console& console);

}  // namespace headwise::tools
