// Which options of bench go together, and what follows from them.
#include <CLI/CLI.hpp>

#include "bench_options.hpp"
#include "file_roles.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

std::string shell_word(const std::string& text) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string layer_arguments(const CLI::App& app, const std::string& file) {
  std::string line = shell_word(file);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() != layer_choice_group || option->count() == 0) continue;
    line += " " + option->get_name();
    if (option->get_expected_max() > 0) line += " " + shell_word(option->results().back());
  }
  return line;
}

void check_layer_options(const CLI::App& app, const BenchOptions& options) {
  for (const CLI::Option* option : app.get_options()) {
    const bool of_layer = option->get_group() == layer_choice_group && option->count() > 0;
    if (of_layer && options.file.empty()) throw UsageError(option->get_name() + " says nothing without a FILE");
  }
}

void check_results_alone(const CLI::App& app, const BenchOptions& options) {
  if (options.results.empty()) return;
  if (!options.file.empty()) throw UsageError("--results measures nothing; leave FILE out");
  for (const CLI::Option* option : app.get_options()) {
    const std::string& group = option->get_group();
    if (option->count() == 0 || (group != bench_what_group && group != bench_how_group)) continue;
    throw UsageError("--results measures nothing; leave " + option->get_name() + " out");
  }
}

BenchFormat format_of_file(const std::string& path) {
  if (path.ends_with(".json")) return BenchFormat::json;
  if (path.ends_with(".csv")) return BenchFormat::csv;
  if (path.ends_with(".md")) return BenchFormat::markdown;
  if (is_standard(path))
    throw UsageError("--output writes a file; --format json, csv or markdown is for standard output");
  throw UsageError("--output " + path + ": the name must end in .json, .csv or .md");
}

std::vector<NamedPath> files_read(const CLI::App& app, const BenchOptions& options) {
  std::vector<NamedPath> files = layer_files(options);
  for (const char* name : {"--shape-file", "--compare", "--results"}) {
    for (const std::string& path : app.get_option(name)->results()) files.emplace_back(name, path);
  }
  return files;
}

void choose_formats(const CLI::App& app, BenchOptions& options) {
  const bool other = app.count("--format") > 0 && options.format != BenchFormat::json;
  if (options.common.json && other) throw UsageError("--json and --format name different forms; give one");
  if (options.common.json) options.format = BenchFormat::json;
  if (options.output.empty()) return;
  check_target("--output", options.output, "results");
  check_targets_differ({{"--output", options.output}}, files_read(app, options));
  options.file_format = format_of_file(options.output);
}

void choose_requests(const CLI::App& app, BenchOptions& options) {
  const bool file = !options.file.empty();
  if (options.requests.empty() && !file) options.requests = requests_of_word(shape_sets()[0].first);
  if (options.requests.empty()) options.requests = parse_shape_lines("1x16\n1x128\n8x128\n1x512", "");
  for (BenchRequest& request : options.requests) {
    if (request.shape.of_file() == file) {
      if (app.count("--part") > 0) request.parts.clear();
      if (app.count("--ask") > 0) request.asks.clear();
      continue;
    }
    const std::string text = to_text(request.shape);
    throw UsageError(file ? "shape " + text + ": width and heads come from FILE; give BATCHxLENGTH such as 8x128"
                          : "shape " + text + ": give BATCHxLENGTHxWIDTHxHEADS such as 8x128x768x12, or a weight FILE");
  }
}

}  // namespace

void check_bench_options(const CLI::App& app, BenchOptions& options) {
  check_results_alone(app, options);
  check_layer_options(app, options);
  check_needs(app.count("--least-difference") > 0, !options.compare.empty(), "--least-difference", "--compare");
  for (const std::int64_t count : options.threads) {
    if (count <= Session::max_threads) continue;
    throw UsageError("--threads: " + std::to_string(count) + " is more than " + std::to_string(Session::max_threads));
  }
  choose_formats(app, options);
  choose_requests(app, options);
  if (!options.file.empty()) options.layer_arguments = layer_arguments(app, options.file);
}

}  // namespace headwise::tools
