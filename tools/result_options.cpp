#include "result_options.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "file_roles.hpp"
#include "option_types.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr auto group = "Results";
constexpr auto most = std::int64_t{1} << 31;

void check_standard_output(const ResultOptions& options) {
  const std::string first = options.on_standard_output();
  if (first.empty()) return;
  for (const OutputFile& file : output_files()) {
    if (file.option() == first || !is_standard(options.outputs[file.id])) continue;
    throw UsageError(first + " and " + file.option() + " cannot both be on standard output; give one a file");
  }
  if (options.common.json)
    throw UsageError("--json and " + first + " - both want standard output; give " + first + " a file");
  check_standard_array(first);
}

}  // namespace

void add_result_options(CLI::App& app, ResultOptions& options) {
  for (const OutputFile& file : output_files()) {
    add_path(app, file.option(), options.outputs[file.id], file.help)->group(group);
  }
  add_choice<ScoreStage>(
      app, "--score-stage", options.stage,
      {{"scaled", ScoreStage::scaled}, {"capped", ScoreStage::capped}, {"masked", ScoreStage::masked}},
      "What --scores holds: scale·q·k (default), after the soft-cap, or after biases and masks")
      ->group(group);
  add_integer<std::int64_t>(app, "--top", options.top, 1, most, "How many keys --top-weights and --top-keys hold")
      ->group(group);
  add_input_options(app, options.inputs, group);
}

void check_results(const CLI::App& app, const ResultOptions& options) {
  check_combinations(options);
  const bool rows = options.wants(Output::attention) || options.wants(Output::scores);
  const bool top = options.wants(Output::top_weights) || options.wants(Output::top_keys);
  check_needs(app.count("--score-stage") > 0, options.wants(Output::scores), "--score-stage", "--scores");
  check_needs(options.top > 0, top, "--top", "--top-weights or --top-keys");
  check_needs(top, options.top > 0, options.wants(Output::top_keys) ? "--top-keys" : "--top-weights", "--top");
  check_needs(options.given(Input::attention_heads), rows, "--attention-heads", "--attention or --scores");
  check_needs(options.given(Input::attention_queries), rows, "--attention-queries", "--attention or --scores");
}

std::string ResultOptions::on_standard_output() const {
  for (const OutputFile& output : output_files()) {
    if (is_standard(outputs[output.id])) return output.option();
  }
  return "";
}

void check_targets(const ResultOptions& options) {
  check_standard_output(options);
  std::vector<NamedPath> targets;
  for (const OutputFile& file : output_files()) {
    if (!options.wants(file.id)) continue;
    targets.emplace_back(file.option(), options.outputs[file.id]);
    check_target(targets.back().first, targets.back().second, ".npy");
  }
  check_targets_differ(targets, call_files(options));
}

}  // namespace headwise::tools
