// Records of now against records of before: gain, loss or no difference.
#pragma once

#include <string>
#include <vector>

#include "bench_record.hpp"

namespace headwise::tools {

enum class Verdict { none, gain, loss, unclear };  // unclear: too few rounds to know the noise

const Names<Verdict>& verdict_names();

// How two records of one case differ. Times are medians; a ratio is now / before, above 1 when it takes longer.
struct BenchDifference {
  BenchCase what;
  double before = 0, now = 0;  // seconds
  double ratio = 1;            // of these
  double adjusted = 1;         // with both times counted in FMAs that the machine could have done; ratio without peaks
  double noise = 0;            // what a ratio may be away from 1 by itself: 0.05 is from 1/1.05 to 1.05
  Verdict verdict = Verdict::none;
};

struct BenchComparison {
  std::string file;
  std::vector<BenchDifference> differences;
  std::vector<std::string> only_before, only_now;  // names of cases
  std::vector<std::string> warnings;               // whole sentences

  std::size_t count(Verdict verdict) const;
};

// least_difference as a share: 0.03 means that 3 % count as none.
BenchDifference compare(const BenchRecord& before, const BenchRecord& now, double least_difference);
BenchComparison compare(const BenchRecords& before, const BenchRecords& now, double least_difference);

// A table and a sentence, or an object.
std::string comparison_text(const BenchComparison& comparison, bool markdown);
Json to_json(const BenchComparison& comparison);
// What became of one case, for its row: "before_ms", "time_ratio", "noise", "verdict".
Json verdict_json(const BenchComparison& comparison, const std::string& name);

}  // namespace headwise::tools
