// headwise bench: how fast, and whether that changed.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "bench_job.hpp"
#include "bench_report.hpp"
#include "command.hpp"
#include "console.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Measures every combination of shapes, --part, --ask, --dtype, --isa and
--threads. All cases take turns in each round, so a machine that drifts does it
to all alike. Times are those of single calls; GF/s count pairs of a query and a
live key only; % peak is of the fused multiply-adds that the same number of
threads reach, measured beside each case in each round.

  plain    self-attention       weights  the weights are returned too
  causal   no later key         decode   a token behind a cache of LENGTH
  padded   half of the keys     ragged   sequences of LENGTH/8 to LENGTH

Shapes may go on with :kv=N key/value heads, :d=N size of a head, :keys=N keys
of others. In a --shape-file a line is a shape, words of --part and --ask that
hold for it, and a # comment. The built-in lists are quick, layers, core, masks
and decode. '-' for --shape-file, --compare or --results is standard input.

--compare matches records by all of the above. A case differs when the median of
its rounds moved by more than the noise, which is four times the spread of the
rounds of both runs and at least --least-difference, and does so again when
times are counted in fused multiply-adds: that takes a changed clock out. Cases
that lost are measured once more, and all their rounds count. Fewer than 6
rounds are unclear; more --rounds, in both runs, know their noise better.

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 a loss with
--compare, 130 interrupted: Ctrl-C prints what there is, marked as incomplete.

Example:
  headwise bench
  headwise bench --shapes 8x128x768x12,1x512x768x12 --threads 1,2 --isa all
  headwise bench --shapes layers --ask plain,causal -o new.json
  headwise bench --shapes layers --compare old.json
  headwise bench model.safetensors --layer 3 --shapes 1x128,32x128
  headwise bench --results new.json --compare old.json --format markdown)";

void note_doubts(const BenchRecords& records, const Console& console) {
  if (records.records.empty()) return;
  const std::string& type = records.records[0].build_type;
  if (type != "Release" && type != "RelWithDebInfo") {
    console.note("this is a build of type '" + type + "', not Release: its times say little");
  }
}

BenchComparison judged(const BenchRecords& before, const BenchRecords& now, const BenchOptions& options) {
  BenchComparison comparison = compare(before, now, options.least_difference / 100);
  comparison.file = options.compare;
  return comparison;
}

// A loss must show twice: a machine that was busy once is none.
void measure(BenchResults& results, const std::optional<BenchRecords>& before, const BenchOptions& options) {
  const Console console(options.common);
  BenchJob job(options, console);
  job.measure();
  if (before) job.measure_again(judged(*before, job.records(), options));
  results.records = job.records();
  note_doubts(results.records, console);
}

// The screen first: what took minutes to measure must not be lost to a full disk.
void write_results(const BenchResults& results, const BenchOptions& options) {
  write_output(bench_text(results, options.format));
  if (!options.output.empty()) write_text_file(options.output, bench_text(results, options.file_format));
}

int bench(const CLI::App& app, BenchOptions& options) {
  check_bench_options(app, options);
  std::optional<BenchRecords> before;
  if (!options.compare.empty()) before = read_records(options.compare);
  BenchResults results;
  const bool measured = options.results.empty();
  if (measured) {
    measure(results, before, options);
  } else {
    results.records = read_records(options.results);
  }
  if (before) results.comparison = judged(*before, results.records, options);
  write_results(results, options);
  if (measured && !results.records.complete) return exit_interrupted;
  return results.comparison && results.comparison->count(Verdict::loss) > 0 ? exit_loss : exit_ok;
}

}  // namespace

Command add_bench(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("bench", "Measure how fast calls are, and compare with an earlier run");
  auto options = std::make_shared<BenchOptions>();
  add_bench_options(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return bench(*parser, *options); }};
}

}  // namespace headwise::tools
