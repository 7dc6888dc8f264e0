// headwise completion and headwise man: what packages install beside the program.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command.hpp"
#include "command_words.hpp"
#include "console.hpp"
#include "option_types.hpp"
#include "text_files.hpp"

namespace headwise::tools {
namespace {

using Script = std::string (*)(const std::vector<CommandWords>&);

constexpr auto completion_details = R"(
Writes the completion script of a shell. To have it in this shell only:

  source <(headwise completion bash)
  source <(headwise completion zsh)
  headwise completion fish | source

Example:
  headwise completion bash > ~/.local/share/bash-completion/completions/headwise)";

constexpr auto man_details = R"(
Writes the manual page of the command as a whole, or of a sub-command, for man;
with --into all pages and completion scripts, each in the folder below a prefix
where programs look for it: share/man/man1, share/bash-completion/completions,
share/zsh/site-functions, share/fish/vendor_completions.d.

Example:
  headwise man run | man -l -
  headwise man --into /usr/local)";

struct ManOptions {
  std::string name = "headwise", prefix;
};

std::string page_of(const std::string& name, const std::vector<CommandWords>& all) {
  for (const CommandWords& command : all) {
    if (command.name == name) return man_page(command, all);
  }
  throw UsageError("there is no sub-command '" + name + "'; see 'headwise --help'");
}

void write_below(const std::string& prefix, const std::string& folder, const std::string& name,
                 const std::string& text) {
  const auto whole = std::filesystem::path(prefix) / "share" / folder;
  std::error_code error;
  std::filesystem::create_directories(whole, error);
  if (error) throw CommandError("cannot make the folder " + whole.string() + ": " + error.message());
  write_text_file((whole / name).string(), text);
}

void write_all(const std::string& prefix, const std::vector<CommandWords>& all) {
  for (const CommandWords& command : all) {
    write_below(prefix, "man/man1", page_name(command) + ".1", man_page(command, all));
  }
  write_below(prefix, "bash-completion/completions", "headwise", bash_completion(all));
  write_below(prefix, "zsh/site-functions", "_headwise", zsh_completion(all));
  write_below(prefix, "fish/vendor_completions.d", "headwise.fish", fish_completion(all));
}

int man(const CLI::App& app, const ManOptions& options) {
  const std::vector<CommandWords> all = describe_commands(app);
  if (options.prefix.empty()) {
    write_output(page_of(options.name, all));
  } else {
    write_all(options.prefix, all);
  }
  return exit_ok;
}

}  // namespace

Command add_completion(CLI::App& app) {
  const Choices<Script> scripts{{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  CLI::App* parser = app.add_subcommand("completion", "Write the completion script of bash, zsh or fish");
  auto script = std::make_shared<Script>(nullptr);
  add_choice<Script>(*parser, "SHELL", *script, scripts, choice_words(scripts))->required()->option_text("(required)");
  parser->footer(completion_details);
  return {parser, [&app, script] {
            write_output((*script)(describe_commands(app)));
            return exit_ok;
          }};
}

Command add_man(CLI::App& app) {
  CLI::App* parser = app.add_subcommand("man", "Write a manual page")->group("");
  auto options = std::make_shared<ManOptions>();
  CLI::Option* name = parser->add_option("COMMAND", options->name, "A sub-command (default: the command as a whole)");
  name->option_text(" ");
  add_path(*parser, "--into", options->prefix, "Write all pages and completion scripts below this prefix")
      ->option_text("FOLDER")
      ->excludes(name);
  parser->footer(man_details);
  return {parser, [&app, options] { return man(app, *options); }};
}

}  // namespace headwise::tools
