// What bench does between its options and its records: load, measure, measure what lost once more.
#pragma once

#include <vector>

#include "bench_compare.hpp"
#include "bench_rounds.hpp"
#include "layer_job.hpp"

namespace headwise::tools {

class BenchJob {
 public:
  // Throws what load_layer and bench_cases throw, and CommandError when the cases need more memory than there is.
  BenchJob(const BenchOptions& options, const Console& console);

  void measure();
  // The cases that lost, in as many rounds again; these and the first ones count as one run from then on.
  void measure_again(const BenchComparison& comparison);
  BenchRecords records() const;

 private:
  void measure(const std::vector<std::size_t>& which);
  const AttentionWeights* layer() const { return options_.file.empty() ? nullptr : &loaded_.weights; }

  const BenchOptions& options_;
  const Console& console_;
  LoadedLayer loaded_;
  std::vector<BenchCase> cases_;
  std::vector<BenchTimes> times_;  // one a case
  BenchOrigin origin_;
  bool complete_ = true;
};

}  // namespace headwise::tools
