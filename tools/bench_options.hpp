// What bench measures, how often, and what becomes of the figures.
#pragma once

#include <string>
#include <vector>

#include "bench_case.hpp"
#include "layer_options.hpp"

namespace headwise::tools {

enum class BenchFormat { table, markdown, csv, json };

// How a case is measured; part of its record.
struct BenchEffort {
  int warmup = 1;         // calls of each round that do not count
  double min_time = 0.5;  // seconds of timed calls in all rounds together
  int rounds = 10;
};

struct BenchOptions : LayerChoice {
  std::string layer_arguments;  // FILE and the options of the layer as a shell takes them; "" without FILE
  std::vector<BenchRequest> requests;
  std::vector<BenchPart> parts{BenchPart::layer};
  std::vector<BenchAsk> asks{BenchAsk::plain};
  std::vector<DType> dtypes{DType::f32};
  std::vector<std::string> isas{""};
  std::vector<std::int64_t> threads{0};
  BenchEffort effort;
  BenchFormat format = BenchFormat::table;      // on standard output
  BenchFormat file_format = BenchFormat::json;  // of `output`
  std::string output, compare, results;
  double least_difference = 3;  // percent
};

inline constexpr auto bench_what_group = "What to measure", bench_how_group = "How to measure";

// The shapes that a word of --shapes stands for; throws UsageError.
std::vector<BenchRequest> requests_of_word(const std::string& word);
void add_bench_options(CLI::App& app, BenchOptions& options);
// Fills in what follows from other options. Throws UsageError for those that do not go together.
void check_bench_options(const CLI::App& app, BenchOptions& options);
// Every combination of what was asked for, each once. `layer` says which layer of FILE, "" without. Throws UsageError
// for one that does not exist, CommandError for an ISA that this CPU lacks.
std::vector<BenchCase> bench_cases(const BenchOptions& options, const std::string& layer);
// The command line that measures this case alone.
std::string repeat_command(const BenchCase& what, const BenchOptions& options);

}  // namespace headwise::tools
