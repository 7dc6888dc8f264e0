// headwise: attention layers of weight files on the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <headwise/headwise.hpp>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "command.hpp"
#include "console.hpp"
#include "help.hpp"
#include "info_report.hpp"
#include "option_words.hpp"
#include "text.hpp"
#include "warnings.hpp"

namespace headwise::tools {
namespace {

constexpr auto exit_codes = R"(
Exit codes: 0 done, 1 failed, 2 the command line is wrong, or what it asks for
does not fit: no such layer, family or head in FILE, an input of another shape
or type, 3 slower (bench). A file that cannot be read or written or is damaged
is a failure. A reader that closes its pipe ends the command quietly (SIGPIPE).
Results go to stdout or files, everything else to stderr.)";

struct CommandLine {
  CLI::App app{"Multi-head attention on CPUs: weight file in, attention output out.", "headwise"};
  std::vector<Command> commands;
  bool verbose = false;

  CommandLine() {
    app.set_version_flag("--version", std::string("headwise ") + version());
    app.get_option("--version")->description("Print the version and exit");
    app.add_flag("--verbose", verbose, "With --version: the build, the kernels and the threads too, as info does");
    app.get_formatter()->column_width(help_column);
    commands = {add_inspect(app),   add_run(app),   add_explain(app),    add_profile(app), add_verify(app),
                add_convert(app),   add_bench(app), add_embed(app),      add_similar(app), add_view(app),
                add_ask_heads(app), add_info(app),  add_completion(app), add_man(app)};
    app.require_subcommand(1);
    app.footer(exit_codes);
  }

  std::vector<std::string> command_names() const {
    std::vector<std::string> names;
    for (const Command& command : commands) names.push_back(command.parser->get_name());
    return names;
  }
};

// CLI11 would only say that an argument was not expected.
void check_command_name(const CommandLine& line, int count, char** arguments) {
  if (count < 2) throw UsageError("no sub-command given; see 'headwise --help'");
  const std::string name = arguments[1];
  const auto names = line.command_names();
  if (name.starts_with("-") || std::find(names.begin(), names.end(), name) != names.end()) return;
  const std::string nearest = nearest_word(name, names);
  const std::string advice = nearest.empty() ? "see 'headwise --help'" : "did you mean '" + nearest + "'?";
  throw UsageError("unknown sub-command '" + name + "'; " + advice);
}

std::string help_command(const CommandLine& line) {
  const auto chosen = line.app.get_subcommands();
  return "headwise " + (chosen.empty() ? "" : chosen[0]->get_name() + " ") + "--help";
}

[[noreturn]] void refuse_option(const CommandLine& line, const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  const std::string nearest = nearest_word(word, names);
  const std::string advice = nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
  throw UsageError("unknown option '" + word + "'" + advice + "; see '" + help_command(line) + "'");
}

// CLI11 reports a missing argument first, though a misspelt option is often the reason.
void check_option_names(const CommandLine& line) {
  std::vector<const CLI::App*> commands{&line.app};
  for (const CLI::App* command : line.app.get_subcommands()) commands.push_back(command);
  for (const CLI::App* command : commands) {
    for (const std::string& word : command->remaining()) {
      if (word.size() > 1 && word[0] == '-' && word != "--") refuse_option(line, *command, word);
    }
  }
}

int run_command(const CommandLine& line) {
  for (const Command& command : line.commands) {
    if (!command.parser->parsed()) continue;
    const CLI::Option* quiet = command.parser->get_option_no_throw("--quiet");
    std::optional<Warnings> warnings;
    if (quiet == nullptr || quiet->count() == 0) warnings.emplace();
    return command.run();
  }
  return exit_usage;
}

int parse_and_run(CommandLine& line, int count, char** arguments) {
  check_command_name(line, count, arguments);
  try {
    line.app.parse(count, arguments);
  } catch (const CLI::CallForVersion& request) {
    write_output(line.app.count("--verbose") > 0 ? info_text(read_machine(), find_isa())
                                                 : std::string(request.what()) + "\n");
    return exit_ok;
  } catch (const CLI::CallForHelp&) {
    write_output(help_text(line.app));
    return exit_ok;
  } catch (const CLI::ParseError& error) {
    check_option_names(line);
    throw UsageError(std::string(error.what()) + "; see '" + help_command(line) + "'");
  }
  if (line.verbose) throw UsageError("--verbose says nothing without --version");
  return run_command(line);
}

// The library says what is wrong; the command knows what its user can do about it.
std::string advice(const Error& error) {
  const auto says = [&error](const char* words) {
    return std::string_view(error.what()).find(words) != std::string::npos;
  };
  if (says("longer than its header")) return "; inspect, run and convert accept them with --allow-trailing-bytes";
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      return "; 'headwise inspect FILE' shows the layers and sizes of a file";
    case ErrorCode::unsupported:
      return "; see 'headwise info' and the README for what is offered";
    case ErrorCode::bad_file:
      return "; the file is damaged or of another format, make or fetch it again";
    case ErrorCode::io:
      if (says("; ") || says("not a regular file")) break;  // it has its advice, or nothing on the disk would help
      return "; check the name, the permissions and the space left";
    case ErrorCode::out_of_memory:
      return "; try a smaller batch or shorter sequences";
    case ErrorCode::internal:
      return "; please report this";
    case ErrorCode::cancelled:
    case ErrorCode::busy:  // the command never asks for the one nor shares a session
      break;
  }
  return "";
}

int fail(const std::string& message, ExitCode code) {
  write_error(message);
  return code;
}

}  // namespace

int run_command_line(int count, char** arguments) {
  try {
    prepare_streams();
    CommandLine line;
    return parse_and_run(line, count, arguments);
  } catch (const UsageError& error) {
    return fail(error.what(), exit_usage);
  } catch (const Error& error) {
    // What was asked does not fit what the files hold.
    const bool unfit = error.code() == ErrorCode::invalid_argument;
    return fail(in_option_words(error.what()) + advice(error), unfit ? exit_usage : exit_failed);
  } catch (const std::bad_alloc&) {
    return fail("out of memory; try a smaller batch or shorter sequences", exit_failed);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_failed);
  }
}

}  // namespace headwise::tools

int main(int count, char** arguments) {
  return headwise::tools::run_command_line(count, arguments);
}
