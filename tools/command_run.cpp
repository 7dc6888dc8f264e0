// headwise run: the main job. A layer of a weight file on the caller's tensors.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "option_types.hpp"
#include "run_report.hpp"
#include "summary.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Key defaults to the query, value to the key. f64 and f16 inputs are converted to f32.
With --json, NaN and infinity become null; nonfinite_count says how many there are. A .npy
file keeps them. The exit code stays 0.

Example:
  headwise run model.safetensors --layer 0 --query x.npy --output y.npy --attention w.npy)";

void add_run_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "Results";
  add_path(app, "--output", options.output, "Write the output here (.npy)")->group(group);
  add_path(app, "--attention", options.attention, "Write the weights of each head here (.npy)")->group(group);
  add_path(app, "--average-attention", options.average_attention, "Write their mean over the heads here (.npy)")
      ->group(group);
  app.add_flag("--values", options.values, "With --json: every value of the output")->group(group);
  add_integer(app, "--repeat", options.repeat, 1, 1'000'000,
              "Timed calls after one to warm up (default: as many as fit into half a second)")
      ->group("How to run");
  app.add_flag("--explain", options.explain, "Print the plan: steps, memory, work")->group("How to run");
}

// save_npy renames a new file into place, which would replace a device such as /dev/stdout.
void check_target(const std::string& name, const std::string& path) {
  if (path.empty()) return;
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw UsageError(name + " " + path + " is no regular file; give the name of a .npy file to write");
  }
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    throw UsageError(name + " " + path + ": there is no folder " + folder.string() + "; make it first");
  }
}

// Also under two names, and before the file is there.
bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code ignored;
  if (a == b || std::filesystem::equivalent(a, b, ignored)) return true;
  const auto whole = std::filesystem::weakly_canonical(std::filesystem::absolute(a, ignored), ignored);
  return !whole.empty() && whole == std::filesystem::weakly_canonical(std::filesystem::absolute(b, ignored), ignored);
}

using NamedPaths = std::vector<std::pair<std::string, std::string>>;  // option and path

NamedPaths sources(const RunOptions& options) {
  return {{"FILE", options.file},
          {"--query", options.query},
          {"--key", options.key},
          {"--value", options.value},
          {"--mask", options.mask},
          {"--key-padding", options.key_padding},
          {"--key-lengths", options.key_lengths}};
}

// No target may be another one or a file that is read.
void check_targets(const RunOptions& options) {
  NamedPaths others = sources(options);
  const NamedPaths targets{{"--output", options.output},
                           {"--attention", options.attention},
                           {"--average-attention", options.average_attention}};
  for (const auto& [name, path] : targets) {
    check_target(name, path);
    for (const auto& [other_name, other] : others) {
      if (same_file(path, other)) throw UsageError(other_name + " and " + name + " name the same file, " + path);
    }
    others.emplace_back(name, path);
  }
}

void check_options(const RunOptions& options) {
  check_combinations(options);
  if (options.query.empty()) throw UsageError("--query is missing; give a .npy file of shape [batch, length, width]");
  if (options.values && !options.common.json) throw UsageError("--values says nothing without --json");
  check_targets(options);
}

void execute(RunResult& result, const RunOptions& options) {
  const MultiHeadAttention attention(result.loaded.weights, options.model);
  result.config = attention.config();
  const AttentionInputs inputs = result.inputs.views(options);
  const CallShape call = call_shape(inputs);
  result.output = make_output(call, result.config);
  if (!options.attention.empty()) result.attention = make_attention(call, result.config);
  if (!options.average_attention.empty()) result.average_attention = make_average_attention(call);
  const AttentionOutputs outputs{
      .output = result.output, .attention = result.attention, .average_attention = result.average_attention};
  Session session(attention, options.session);
  result.timing = measure([&] { session.run(inputs, outputs); }, options.repeat);
  result.explanation = session.explain(inputs, outputs);
}

void save(const std::string& path, const Tensor& tensor) {
  if (!path.empty()) save_npy(path, tensor);
}

void note_nonfinite(const Tensor& output, const Console& console) {
  const NonFinite found = count_nonfinite(output);
  if (found.nan_count + found.infinite_count == 0) return;
  console.note("the output holds " + std::to_string(found.nan_count) + " NaN and " +
               std::to_string(found.infinite_count) + " infinite values");
}

int run(const RunOptions& options) {
  check_options(options);
  const Console console(options.common);
  checked_isa(options.model.isa);
  RunResult result;
  result.inputs = load_inputs(options, console);
  result.loaded = load_layer(options, console);
  execute(result, options);
  save(options.output, result.output);
  save(options.attention, result.attention);
  save(options.average_attention, result.average_attention);
  note_nonfinite(result.output, console);
  write_output(options.common.json ? run_json(result, options) : run_text(result, options));
  return exit_ok;
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("run", "Run one attention layer of a weight file on .npy tensors");
  auto options = std::make_shared<RunOptions>();
  add_layer_options(*parser, *options);
  add_run_options(*parser, *options);
  parser->footer(details);
  return {parser, [options] { return run(*options); }};
}

}  // namespace headwise::tools
