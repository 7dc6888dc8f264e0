#include "bench_compare.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "statistics.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// Fewer say too little about their own noise.
constexpr std::size_t fewest_rounds = 6;
// Rounds of one run resemble each other more than two runs do, so the noise is that of single rounds, not of their
// median, times four: of all pairs of 20 runs of one program within 20 minutes, two threads on a virtual machine with
// busy neighbours, 1 % of the cases then were a loss, with three times 3 %.
constexpr double spreads = 4;

std::vector<double> logarithms(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

// Each round's time times the peak beside it: the FMAs that the machine could have done meanwhile. A clock that drifts
// does not change it.
std::vector<double> in_fmas(const BenchRecord& record) {
  std::vector<double> values = record.round_medians;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= record.round_peaks[i];
  return values;
}

bool has_peaks(const BenchRecord& record) {
  return record.round_peaks.size() == record.round_medians.size();
}

struct Change {
  double logarithm = 0, noise = 0;
};

Change change_of(const std::vector<double>& before, const std::vector<double>& now) {
  const std::vector<double> a = logarithms(before), b = logarithms(now);
  return {median(b) - median(a), spreads * std::hypot(robust_spread(a), robust_spread(b))};
}

// Wall time and time in FMAs must tell the same: either alone is moved by a machine that does other things besides.
Verdict judge(const Change& time, const Change& adjusted, double noise) {
  const bool same_way = time.logarithm * adjusted.logarithm > 0;
  if (!same_way || std::min(std::fabs(time.logarithm), std::fabs(adjusted.logarithm)) <= noise) return Verdict::none;
  return time.logarithm > 0 ? Verdict::loss : Verdict::gain;
}

// The sentence that lists what is another in two sets of records, or nothing.
void warn_if_other(BenchComparison& comparison, const std::set<std::string>& before, const std::set<std::string>& now,
                   const std::string& what) {
  if (before == now || before.empty() || now.empty()) return;
  const auto listed = [](const std::set<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " and ") + printable(word);
    return text;
  };
  comparison.warnings.push_back("another " + what + ": before " + listed(before) + ", now " + listed(now));
}

template <class Member>
std::set<std::string> values_of(const BenchRecords& records, Member member) {
  std::set<std::string> values;
  for (const BenchRecord& record : records.records) values.insert(record.*member);
  return values;
}

void add_warnings(BenchComparison& comparison, const BenchRecords& before, const BenchRecords& now) {
  const auto check = [&](std::string BenchRecord::*member, const char* what) {
    warn_if_other(comparison, values_of(before, member), values_of(now, member), what);
  };
  check(&BenchRecord::cpu, "CPU, so differences may be the machine's");
  check(&BenchRecord::build_type, "kind of build");
  check(&BenchRecord::compiler, "compiler");
  check(&BenchRecord::onednn, "oneDNN");
  if (!before.complete) comparison.warnings.push_back("the run before was interrupted");
  if (!now.complete) comparison.warnings.push_back("this run was interrupted");
}

const BenchRecord* find(const BenchRecords& records, const BenchCase& what) {
  for (const BenchRecord& record : records.records) {
    if (record.what == what) return &record;
  }
  return nullptr;
}

}  // namespace

const Names<Verdict>& verdict_names() {
  static const Names<Verdict> names{{"no difference", Verdict::none},
                                    {"gain", Verdict::gain},
                                    {"loss", Verdict::loss},
                                    {"unclear", Verdict::unclear}};
  return names;
}

std::size_t BenchComparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(differences.begin(), differences.end(),
                                                [=](const auto& difference) { return difference.verdict == verdict; }));
}

BenchDifference compare(const BenchRecord& before, const BenchRecord& now, double least_difference) {
  const Change time = change_of(before.round_medians, now.round_medians);
  const bool peaks = has_peaks(before) && has_peaks(now);
  const Change adjusted = peaks ? change_of(in_fmas(before), in_fmas(now)) : time;
  const double noise = std::max(std::log1p(least_difference), time.noise);
  BenchDifference result;
  result.what = now.what;
  result.before = median(before.round_medians);
  result.now = median(now.round_medians);
  result.ratio = std::exp(time.logarithm);
  result.adjusted = std::exp(adjusted.logarithm);
  result.noise = std::expm1(noise);
  const bool enough = std::min(before.round_medians.size(), now.round_medians.size()) >= fewest_rounds;
  result.verdict = enough ? judge(time, adjusted, noise) : Verdict::unclear;
  return result;
}

BenchComparison compare(const BenchRecords& before, const BenchRecords& now, double least_difference) {
  BenchComparison comparison;
  for (const BenchRecord& record : now.records) {
    const BenchRecord* old = find(before, record.what);
    if (old == nullptr) {
      comparison.only_now.push_back(record.what.name());
    } else {
      comparison.differences.push_back(compare(*old, record, least_difference));
    }
  }
  for (const BenchRecord& record : before.records) {
    if (find(now, record.what) == nullptr) comparison.only_before.push_back(record.what.name());
  }
  add_warnings(comparison, before, now);
  return comparison;
}

}  // namespace headwise::tools
