// What was measured of one case, complete enough to be understood and repeated elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench_case.hpp"
#include "bench_options.hpp"
#include "bench_rounds.hpp"
#include "json_output.hpp"

namespace headwise::tools {

struct BenchRecord {
  BenchCase what;
  std::string kernel, schedule;   // as explain names them
  std::int64_t plan_threads = 1;  // that the work is worth, up to what.threads
  double flops = 0, bytes = 0;    // of a call, as explain counts them: pairs of a query and a live key

  // Seconds.
  double median = 0, p10 = 0, p90 = 0, p99 = 0, min = 0;  // over all calls
  std::vector<double> round_medians;
  std::vector<double> round_peaks;  // FLOP/s of the FMA peak, one a round; empty where there is none
  std::int64_t calls = 0;
  BenchEffort effort;

  std::string commit, version, onednn, compiler, build_type, cpu, date, repeat;

  double flop_rate() const { return flops / median; }
  // FLOP/s, and the share of each round's own peak, medians; nothing where no peak was measured.
  std::optional<double> peak() const;
  std::optional<double> peak_share() const;
};

struct BenchRecords {
  std::vector<BenchRecord> records;
  bool complete = true;  // false: interrupted
};

// The machine and the time of a run.
struct BenchOrigin {
  std::string cpu;
  std::string date;  // "2026-11-30T11:26:44Z"
};

// At least one call was timed.
BenchRecord make_record(const BenchCase& what, const BenchTimes& times, const BenchOptions& options,
                        const BenchOrigin& origin);

// Every field; those that are read back and those that only say the same in other units.
Json to_json(const BenchRecord& record);
Json to_json(const BenchRecords& records);
// Where a record contradicts itself or what its JSON says beside it; "" when it does not.
std::string contradiction(const BenchRecord& record, const Json& object);
// Reads what to_json wrote. Throws CommandError that names the file, the record and the field.
BenchRecords read_records(const std::string& path);

}  // namespace headwise::tools
