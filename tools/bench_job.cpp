#include "bench_job.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <numeric>

#include "machine.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  gmtime_r(&now, &parts);
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string layer_words(const LoadedLayer& loaded, const BenchOptions& options) {
  return std::filesystem::path(options.file).filename().string() + ", layer " + std::to_string(options.load.layer) +
         ", " + plural(loaded.weights.config.num_heads, "head");
}

// Linux promises memory that it does not have and ends the process later, without a word.
void check_memory(const std::vector<BenchCase>& cases, const AttentionWeights* layer, const Machine& machine) {
  constexpr double usable = 0.8;
  const double needed = bench_bytes(cases, layer);
  if (needed <= usable * machine.memory_bytes) return;
  throw CommandError(plural(static_cast<std::int64_t>(cases.size()), "case") + " at once would take about " +
                     byte_text(static_cast<std::uint64_t>(std::min(needed, 1e18))) + " of memory, this machine has " +
                     byte_text(static_cast<std::uint64_t>(machine.memory_bytes)) + "; take fewer or smaller shapes");
}

template <class T>
void append(std::vector<T>& target, const std::vector<T>& more) {
  target.insert(target.end(), more.begin(), more.end());
}

void append(BenchTimes& target, const BenchTimes& more) {
  append(target.rounds, more.rounds);
  append(target.calls, more.calls);
  append(target.peaks, more.peaks);
  if (target.plan.steps.empty()) target.plan = more.plan;
}

}  // namespace

BenchJob::BenchJob(const BenchOptions& options, const Console& console) : options_(options), console_(console) {
  if (!options.file.empty()) loaded_ = load_layer(options, console);
  cases_ = bench_cases(options, options.file.empty() ? "" : layer_words(loaded_, options));
  times_.resize(cases_.size());
  const Machine machine = read_machine();
  check_memory(cases_, layer(), machine);
  origin_ = {machine.cpu_name, utc_time()};
}

void BenchJob::measure() {
  std::vector<std::size_t> all(cases_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  measure(all);
}

void BenchJob::measure_again(const BenchComparison& comparison) {
  std::vector<std::size_t> lost;
  for (const BenchDifference& difference : comparison.differences) {
    if (difference.verdict != Verdict::loss) continue;
    lost.push_back(static_cast<std::size_t>(std::find(cases_.begin(), cases_.end(), difference.what) - cases_.begin()));
  }
  if (lost.empty() || !complete_) return;
  console_.note(plural(static_cast<std::int64_t>(lost.size()), "case") + " lost at first sight; measuring again");
  measure(lost);
}

void BenchJob::measure(const std::vector<std::size_t>& which) {
  std::vector<BenchCase> cases;
  for (const std::size_t index : which) cases.push_back(cases_[index]);
  BenchModels models(layer());
  const BenchRun run = measure_cases(cases, models, options_.effort, console_);
  for (std::size_t i = 0; i < which.size(); ++i) append(times_[which[i]], run.times[i]);
  complete_ = run.complete;
}

// Cases that an interrupt left without a call have no record.
BenchRecords BenchJob::records() const {
  BenchRecords records;
  records.complete = complete_;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (!times_[i].calls.empty()) records.records.push_back(make_record(cases_[i], times_[i], options_, origin_));
  }
  return records;
}

}  // namespace headwise::tools
