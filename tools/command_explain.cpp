// headwise explain: what run would do with the same options, without doing it.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "explain_report.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Takes the options of run and tells, before anything is computed, which kernel,
schedule and threads would serve the call, what each step costs, and why it is
not a faster one. Nothing is written: files of results only say what would be
asked for. Without --query the inputs are zeros of --batch and --length; without
FILE the layer has random weights of --width and --heads. With --cache-capacity
it tells the last token of the query, or the last call that the cache has room
for.

Example:
  headwise explain model.safetensors --query x.npy --attention w.npy
  headwise explain --width 4096 --heads 32 --kv-heads 8 --length 2048 --causal
  headwise explain model.safetensors --cache-capacity 4096)";

int explain(const CLI::App& app, const SizedOptions& options) {
  check_call(app, options);
  SizedCall call(options, SizedCall::Purpose::plan, Console(options.common));
  const Explanation plan =
      Session(*call.attention, options.session).explain(call.arguments(options), call.outputs(options));
  write_output(options.common.json ? explain_json(call, plan, options) : explain_text(call, plan, options));
  return exit_ok;
}

}  // namespace

Command add_explain(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("explain", "Tell what run would do and why it is not faster; runs nothing");
  auto options = std::make_shared<SizedOptions>();
  add_call(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return explain(*parser, *options); }};
}

}  // namespace headwise::tools
