// headwise run: the main job. A layer of a weight file on the caller's tensors.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "decode.hpp"
#include "option_types.hpp"
#include "run_report.hpp"
#include "run_view.hpp"
#include "summary.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Key defaults to the query, value to the key. Inputs of another float type are
converted. What the layer does to scores and positions comes from the file and
from config.json beside it, unless an option says otherwise. A LIST such as
3,5,2 may stand for a .npy file. One of the inputs may be '-', an array on
standard input, and one of the results, which then stands on standard output
instead of the report. With --json, NaN and infinity become null;
nonfinite_count says how many there are. A .npy file keeps them. The exit code
stays 0.

Example:
  headwise run model.safetensors --query x.npy --output y.npy --attention w.npy
  headwise run model.safetensors --query x.npy --attention w.npy --view w.html
  headwise run model.safetensors --query x.npy --window 9,0 --column-sums c.npy
  headwise run model.safetensors --query x.npy --cache-capacity 512
  headwise run model.safetensors --query - --output - < x.npy > y.npy)";

void add_run_options(CLI::App& app, RunOptions& options) {
  constexpr auto group = "How to run";
  add_run_view_options(app, options);
  app.add_flag("--values", options.values, "With --json: every value of the output")->group("Results");
  add_integer(app, "--repeat", options.repeat, 1, 1'000'000,
              "Timed runs after one to warm up (default: as many as fit into half a second)")
      ->group(group);
  app.add_flag("--explain", options.explain, "Print the plan too, as 'headwise explain' does")->group(group);
}

void check_options(const CLI::App& app, const RunOptions& options) {
  check_results(app, options);
  if (!options.given(Input::query)) {
    throw UsageError("--query is missing; give a .npy file of shape [batch, length, width]");
  }
  if (options.values && !options.common.json) throw UsageError("--values says nothing without --json");
  if (options.cache.capacity > 0) check_decoding(options);
  check_targets(options);
  check_run_view(options);
}

void decode(RunResult& result, const MultiHeadAttention& attention, const RunOptions& options) {
  Decoder decoder(attention.config(), options.cache, result.inputs.views(options));
  Session session(attention, options.session);
  const MutableTensorView output = result.results.tensors[Output::output];
  result.decoded_tokens = decoder.batch() * decoder.length();
  result.cache_bytes = decoder.cache_bytes();
  result.plan = decoder.explain_last(session, output);
  result.timing = measure([&] { decoder.run(session, output); }, options.repeat);
}

void attend(RunResult& result, const MultiHeadAttention& attention, const RunOptions& options) {
  const AttentionInputs inputs = result.inputs.views(options);
  const AttentionOutputs outputs = result.results.views(options, result.inputs);
  Session session(attention, options.session);
  result.timing = measure([&] { session.run(inputs, outputs); }, options.repeat);
  result.plan = session.explain(inputs, outputs);
}

void execute(RunResult& result, const RunOptions& options) {
  ModelOptions model = options.model;
  model.head_contribution = options.wants(Output::head_contribution);
  const MultiHeadAttention attention(result.loaded.weights, model);
  const ResultSizes sizes = result_sizes(result.inputs.views(options), result.loaded.weights);
  result.results = make_results(result_forms(options, result.inputs, sizes));
  options.cache.capacity > 0 ? decode(result, attention, options) : attend(result, attention, options);
}

void note_nonfinite(const Tensor& output, const Console& console) {
  const NonFinite found = count_nonfinite(output);
  if (found.any()) console.note("the output holds " + to_text(found));
}

int run(const CLI::App& app, const RunOptions& options) {
  check_options(app, options);
  const Console console(options.common);
  checked_isa(options.model.isa);
  const std::vector<std::string> tokens = run_view_tokens(options);
  RunResult result;
  result.inputs = load_inputs(options, console);
  result.loaded = load_layer(options, console);
  execute(result, options);
  result.results.save(options, console);
  if (!options.view.empty()) write_run_view(result, options, tokens, console);
  note_nonfinite(result.results.tensors[Output::output], console);
  if (!options.on_standard_output().empty()) return exit_ok;
  write_output(options.common.json ? run_json(result, options) : run_text(result, options));
  return exit_ok;
}

}  // namespace

Command add_run(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("run", "Run one attention layer of a weight file on .npy tensors");
  auto options = std::make_shared<RunOptions>();
  add_path(*parser, "FILE", options->file, weight_file_help)->required()->option_text("(required)");
  add_layer_options(*parser, *options);
  add_result_options(*parser, *options);
  add_call_options(*parser, *options);
  add_run_options(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return run(*parser, *options); }};
}

}  // namespace headwise::tools
