// What a record of a stranger says twice must agree, or verdicts would rest on whichever half is wrong.
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench_record.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// Times are rounded to picoseconds: a part in a thousand of the shortest call.
bool agrees(double a, double b) {
  return std::abs(a - b) <= 1e-3 * std::abs(b) + 2e-9;
}

std::string percentile_problem(const BenchRecord& r) {
  const std::array<std::pair<const char*, double>, 5> rising{
      {{"min_ms", r.min}, {"p10_ms", r.p10}, {"median_ms", r.median}, {"p90_ms", r.p90}, {"p99_ms", r.p99}}};
  for (std::size_t i = 1; i < rising.size(); ++i) {
    if (rising[i].second >= rising[i - 1].second) continue;
    return std::string("field '") + rising[i].first + "' is below '" + rising[i - 1].first + "'";
  }
  for (const double median : r.round_medians) {
    if (median < r.min) return "field 'round_medians_ms' holds a time below 'min_ms'";
  }
  return "";
}

// A case that lost at first sight has twice its rounds, an interrupted one fewer.
std::string count_problem(const BenchRecord& r) {
  const auto rounds = static_cast<std::int64_t>(r.round_medians.size());
  if (r.plan_threads < 1 || r.plan_threads > r.what.threads) return "field 'plan_threads' is not from 1 to 'threads'";
  if (r.calls < rounds) return "field 'calls' is below the count of 'round_medians_ms'";
  if (rounds > 2 * std::int64_t{r.effort.rounds})
    return "field 'round_medians_ms' has more entries than 'rounds' allow";
  const bool too_many = r.round_peaks.size() > r.round_medians.size();
  return too_many ? "field 'round_peaks_gflops' has more entries than 'round_medians_ms'" : "";
}

// Figures that follow from others; a file may leave them out.
std::string derived_problem(const BenchRecord& record, const Json& object) {
  const Json whole = to_json(record);
  for (const char* name : {"gflops", "gbytes_per_second", "peak_gflops", "peak_share"}) {
    const auto found = object.find(name);
    if (found == object.end()) continue;
    const Json& expected = whole.at(name);
    const bool numbers = found->is_number() && expected.is_number();
    const bool same = numbers ? agrees(found->get<double>(), expected.get<double>()) : *found == expected;
    if (!same) return std::string("field '") + name + "' is not what the other fields give, " + expected.dump();
  }
  return "";
}

}  // namespace

std::string contradiction(const BenchRecord& record, const Json& object) {
  for (std::string problem : {percentile_problem(record), count_problem(record), derived_problem(record, object)}) {
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace headwise::tools
