#include "bench_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr std::size_t longest_shape_file = std::size_t{1} << 20;
constexpr double longest_time = 3600;
constexpr auto result = "Results";

void append(std::vector<BenchRequest>& requests, const std::vector<BenchRequest>& more) {
  requests.insert(requests.end(), more.begin(), more.end());
}

void add_shapes(CLI::App& app, BenchOptions& options) {
  const auto take_list = [&options](const std::string& text) {
    for (const std::string& word : split_list(text)) append(options.requests, requests_of_word(word));
  };
  app.add_option_function<std::string>(
         "--shapes", take_list,
         "BATCHxLENGTHxWIDTHxHEADS, with FILE BATCHxLENGTH, or names of built-in lists (default quick)")
      ->option_text("LIST")
      ->group(bench_what_group);
  const auto take_file = [&options](const std::string& path) {
    append(options.requests, parse_shape_lines(read_text_file(path, longest_shape_file), input_name(path)));
  };
  app.add_option_function<std::string>("--shape-file", take_file, "Shapes from a text file, one a line")
      ->option_text("FILE")
      ->group(bench_what_group);
}

Choices<std::string> isa_list_choices() {
  Choices<std::string> choices = isa_choices();
  choices.emplace_back("all", "all");
  return choices;
}

void add_what(CLI::App& app, BenchOptions& options) {
  add_shapes(app, options);
  add_choices(app, "--part", options.parts, part_names(),
              "layer (default), core: attention without projections; or both")
      ->group(bench_what_group);
  add_choices(app, "--ask", options.asks, ask_names(),
              "plain (default), causal, padded, weights, decode, ragged; or several")
      ->group(bench_what_group);
  add_choices(app, "--dtype", options.dtypes, bench_dtype_names(),
              "f32 (default), f16, bf16: of inputs, output and cache; or several")
      ->group(bench_what_group);
  add_choices(app, "--isa", options.isas, isa_list_choices(),
              "Kernels, or several, or all that this CPU has (default: HEADWISE_ISA, then the fastest)")
      ->group(bench_what_group);
  add_list(app, "--threads", options.threads, "Threads, one count or several (default 0: what affinity allows)")
      ->group(bench_what_group);
}

void add_positive(CLI::App& app, const char* name, double& target, double most, const char* help) {
  const auto set = [&target, name, most](double value) {
    if (value <= 0 || value > most) {
      throw CLI::ValidationError(name, "must be more than 0 and at most " + significant(most, 4));
    }
    target = value;
  };
  add_number(app, name, set, help)->group(bench_how_group);
}

void add_how(CLI::App& app, BenchOptions& options) {
  BenchEffort& effort = options.effort;
  add_integer(app, "--rounds", effort.rounds, 1, 1000, "Rounds; each visits every case once (default 10)")
      ->group(bench_how_group);
  add_positive(app, "--min-time", effort.min_time, longest_time,
               "Seconds of timed calls for a case, in all rounds together (default 0.5)");
  add_integer(app, "--warmup", effort.warmup, 0, 1000, "Calls before those that count, in each round (default 1)")
      ->group(bench_how_group);
}

void add_results(CLI::App& app, BenchOptions& options) {
  add_choice<BenchFormat>(app, "--format", options.format,
                          {{"table", BenchFormat::table},
                           {"markdown", BenchFormat::markdown},
                           {"csv", BenchFormat::csv},
                           {"json", BenchFormat::json}},
                          "How to print it (default table)")
      ->group(result);
  add_path(app, "-o,--output", options.output,
           "Write the records to a file too, in the form of its ending: .json, .csv or .md")
      ->group(result);
  add_path(app, "--compare", options.compare, "Judge against the records of this JSON file; exit code 3 on a loss")
      ->group(result);
  const auto set = [&options](double percent) {
    if (percent < 0 || percent > 100) throw CLI::ValidationError("--least-difference", "must be from 0 to 100");
    options.least_difference = percent;
  };
  add_number(app, "--least-difference", set, "Percent that always count as none (default 3)")->group(result);
  add_path(app, "--results", options.results, "Measure nothing: take the records of this JSON file")->group(result);
}

}  // namespace

std::vector<BenchRequest> requests_of_word(const std::string& word) try {
  for (const auto& [name, text] : shape_sets()) {
    if (name == word) return parse_shape_lines(text, name);
  }
  return {{parse_shape(word), {}, {}}};
} catch (const ShapeError& error) {
  std::string names;
  for (const auto& set : shape_sets()) names += (names.empty() ? "" : ", ") + set.first;
  throw UsageError(std::string("--shapes: ") + error.what() + "; the lists that have a name are " + names);
}

void add_bench_options(CLI::App& app, BenchOptions& options) {
  add_path(app, "FILE", options.file, "Weight file or model folder, or none: random weights")->option_text(" ");
  add_common_options(app, options.common);
  add_what(app, options);
  add_how(app, options);
  add_results(app, options);
  add_layer_choice(app, options.load);
}

}  // namespace headwise::tools
