#include "bench_record.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench_fields.hpp"
#include "headwise/build_info.hpp"
#include "plan_words.hpp"
#include "statistics.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr double giga = 1e-9;

// Picoseconds and kFLOP/s are enough, and shorter than what a product in binary leaves.
double rounded(double value) {
  return std::round(value * 1e9) / 1e9;
}

struct Writer {
  Json& object;

  void operator()(const char* name, const std::string& text) { object[name] = json_text(text); }
  void operator()(const char* name, const BenchShape& shape) { object[name] = to_text(shape); }
  void operator()(const char* name, std::int64_t number) { object[name] = number; }
  void operator()(const char* name, double number, Scaled scale) {
    object[name] = scale.unit == 1 ? json_number(number) : json_number(rounded(number * scale.unit));
  }
  void operator()(const char* name, const std::vector<double>& numbers, Scaled scale) {
    Json array = Json::array();
    for (const double number : numbers) array.push_back(json_number(rounded(number * scale.unit)));
    object[name] = array;
  }
  template <class Value>
  void operator()(const char* name, Value value, const Names<Value>& names) {
    object[name] = name_of(names, value);
  }
};

Json optional_number(std::optional<double> value, double unit) {
  return value ? json_number(rounded(*value * unit)) : Json(nullptr);
}

void set_origin(BenchRecord& record, const BenchOrigin& origin) {
  const BuildInfo build = build_info();
  record.commit = build.commit;
  record.compiler = build.compiler;
  record.build_type = build.type;
  record.version = version();
  record.onednn = onednn_version();
  record.cpu = origin.cpu;
  record.date = origin.date;
}

void set_times(BenchRecord& record, const BenchTimes& times) {
  record.round_medians = times.rounds;
  record.round_peaks = times.peaks;
  record.calls = static_cast<std::int64_t>(times.calls.size());
  std::vector<double> calls = times.calls;
  std::sort(calls.begin(), calls.end());
  record.min = calls.front();
  record.median = sorted_percentile(calls, 0.5);
  record.p10 = sorted_percentile(calls, 0.1);
  record.p90 = sorted_percentile(calls, 0.9);
  record.p99 = sorted_percentile(calls, 0.99);
}

}  // namespace

BenchRecord make_record(const BenchCase& what, const BenchTimes& times, const BenchOptions& options,
                        const BenchOrigin& origin) {
  BenchRecord record;
  record.what = what;
  record.kernel = times.plan.kernel;
  record.schedule = times.plan.schedule;
  record.plan_threads = times.plan.threads;
  record.flops = total_flops(times.plan);
  for (const StepInfo& step : times.plan.steps) record.bytes += step.bytes;
  record.effort = options.effort;
  record.repeat = repeat_command(what, options);
  set_times(record, times);
  set_origin(record, origin);
  return record;
}

std::optional<double> BenchRecord::peak() const {
  if (round_peaks.empty()) return std::nullopt;
  return tools::median(round_peaks);
}

std::optional<double> BenchRecord::peak_share() const {
  std::vector<double> shares;
  for (std::size_t i = 0; i < std::min(round_medians.size(), round_peaks.size()); ++i) {
    shares.push_back(flops / round_medians[i] / round_peaks[i]);
  }
  if (shares.empty()) return std::nullopt;
  return tools::median(std::move(shares));
}

Json to_json(const BenchRecord& record) {
  Json object = Json::object();
  each_field(record, Writer{object});
  object["gflops"] = json_number(rounded(record.flop_rate() * giga));
  object["gbytes_per_second"] = json_number(rounded(record.bytes / record.median * giga));
  object["peak_gflops"] = optional_number(record.peak(), giga);
  object["peak_share"] = optional_number(record.peak_share(), 1);
  return object;
}

Json to_json(const BenchRecords& records) {
  Json array = Json::array();
  for (const BenchRecord& record : records.records) array.push_back(to_json(record));
  return {{"format", bench_format_name},
          {"format_version", bench_format_version},
          {"complete", records.complete},
          {"records", array}};
}

}  // namespace headwise::tools
