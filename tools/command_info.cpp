// headwise info: what this build has, and what this machine offers it.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "console.hpp"
#include "info_report.hpp"
#include "option_types.hpp"

namespace headwise::tools {
namespace {

int run_info(const CommonOptions& options) {
  write_output(options.json ? info_json(read_machine(), find_isa()) : info_text(read_machine(), find_isa()));
  return exit_ok;
}

constexpr auto example = R"(
'headwise --version --verbose' prints the same.

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
