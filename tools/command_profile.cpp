// headwise profile: where the time of a call goes.
#include <CLI/CLI.hpp>
#include <headwise/headwise.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "file_roles.hpp"
#include "option_types.hpp"
#include "profile_html.hpp"
#include "profile_report.hpp"
#include "profile_trace.hpp"
#include "standard_streams.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

constexpr auto details = R"(
Takes the options of run and tells where the time goes: each step of the call,
the parts of attention, what threads wait for, held against the peak and the
bandwidth that this machine shows in the same process. Without --query the
inputs are random numbers of --batch and --length; without FILE the layer has
random weights of --width and --heads. With --cache-capacity it is the last
token of the query, or the last call that the cache has room for. Results are
computed and dropped: their files only say what is asked for.

--trace FILE can be opened in https://ui.perfetto.dev or chrome://tracing. One of
--trace and --html may be '-': it then stands on standard output instead of the
report.

Example:
  headwise profile model.safetensors --query x.npy --html profile.html
  headwise profile --width 768 --heads 12 --batch 8 --length 128 --threads 2
  headwise profile --width 768 --heads 12 --trace trace.json --json)";

void add_profile_options(CLI::App& app, ProfileCommandOptions& options) {
  constexpr auto reports = "Reports", running = "How to run";
  add_path(app, "--html", options.html, "Write a page with the roofline plot and the tables")->group(reports);
  add_path(app, "--trace", options.trace, "Write what each thread did when, for Perfetto or chrome://tracing")
      ->group(reports);
  add_integer(app, "--repeat", options.repeat, 1, 1000,
              "Profiled calls after one to warm up (default: as many as fit into half a second)")
      ->group(running);
  const auto no_limits = [&options](std::int64_t) { options.limits = false; };
  app.add_flag_function("--no-limits", no_limits, "Do not measure the machine: no peak, no bandwidth, no roofs")
      ->group(running);
}

// The report that goes to standard output instead of the text; "" for none.
std::string on_standard_output(const ProfileCommandOptions& options) {
  if (is_standard(options.trace)) return "--trace";
  return is_standard(options.html) ? "--html" : "";
}

void check_standard_output(const ProfileCommandOptions& options) {
  const std::string option = on_standard_output(options);
  if (is_standard(options.trace) && is_standard(options.html)) {
    throw UsageError("--trace and --html cannot both be on standard output; give one a file");
  }
  if (!option.empty() && options.common.json) {
    throw UsageError("--json and " + option + " - both want standard output; give " + option + " a file");
  }
}

void check_files(const ProfileCommandOptions& options) {
  check_standard_output(options);
  check_target("--html", options.html, ".html");
  check_target("--trace", options.trace, ".json");
  check_targets_differ({{"--html", options.html}, {"--trace", options.trace}}, call_files(options));
  if (!options.limits && !options.html.empty()) throw UsageError("--html draws the roofs that --no-limits leaves out");
}

int profile(const CLI::App& app, const ProfileCommandOptions& options) {
  check_call(app, options);
  check_files(options);
  const Console console(options.common);
  SizedCall call(options, SizedCall::Purpose::run, console);
  const ProfileResult result = profile_call(call, options, console);
  const ProfileReport report{call, result, options};
  if (!options.trace.empty()) write_text_file(options.trace, trace_text(result.profile));
  if (!options.html.empty()) write_text_file(options.html, profile_html(report));
  if (!on_standard_output(options).empty()) return exit_ok;
  write_output(options.common.json ? profile_json(report) : profile_text(report));
  return exit_ok;
}

}  // namespace

Command add_profile(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("profile", "Tell where the time of a call goes, against the machine's limits");
  auto options = std::make_shared<ProfileCommandOptions>();
  add_call(*parser, *options);
  add_profile_options(*parser, *options);
  parser->footer(details);
  return {parser, [parser, options] { return profile(*parser, *options); }};
}

}  // namespace headwise::tools
