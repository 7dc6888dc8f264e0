// headwise info: what this build has, and what this machine offers it.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "info_report.hpp"
#include "layer_options.hpp"
#include "option_types.hpp"

namespace headwise::tools {
namespace {

// A wrong HEADWISE_ISA is one of the things that this command is there to show.
IsaInUse find_isa() try { return {checked_isa(""), ""}; } catch (const CommandError& error) {
  return {"", error.what()};
}

int run_info(const CommonOptions& options) {
  const IsaInUse in_use = find_isa();
  const Machine machine = read_machine();
  write_output(options.json ? info_json(machine, in_use) : info_text(machine, in_use));
  return exit_ok;
}

constexpr auto example = R"(
Example:
  headwise info --json)";

}  // namespace

Command add_info(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("info", "What this build has and what this machine offers");
  auto options = std::make_shared<CommonOptions>();
  add_common_options(*parser, *options);
  parser->footer(example);
  return {parser, [options] { return run_info(*options); }};
}

}  // namespace headwise::tools
