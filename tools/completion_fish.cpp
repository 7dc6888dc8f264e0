// Completion for fish: a line for each option.
#include <CLI/CLI.hpp>

#include "command_words.hpp"

namespace headwise::tools {
namespace {

// Unlike other shells, fish knows escapes within single quotes.
std::string quoted(std::string text) {
  text = CLI::detail::find_and_replace(text, "\\", "\\\\");
  return "'" + CLI::detail::find_and_replace(text, "'", "\\'") + "'";
}

std::string names(const OptionWords& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text;
}

// -F offers files, -x nothing but the words that follow.
std::string value(const OptionWords& option) {
  if (option.takes_file()) return " -r -F";
  if (!option.takes_value()) return "";
  return option.choices.empty() ? " -x" : " -x -a " + quoted(joined(option.choices, " "));
}

std::string line(const std::string& condition, const OptionWords& option) {
  const std::string start = "complete -c headwise -n " + quoted(condition);
  if (option.positional)
    return start + (option.takes_file() ? " -F\n" : " -a " + quoted(joined(option.choices, " ")) + "\n");
  return start + names(option) + value(option) + " -d " + quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CommandWords>& all) {
  std::string text =
      "# fish completion for headwise, as 'headwise completion fish' writes it\n\ncomplete -c headwise -f\n";
  for (const OptionWords& option : all[0].options) text += line("__fish_use_subcommand", option);
  for (std::size_t i = 1; i < all.size(); ++i) {
    text += "complete -c headwise -n __fish_use_subcommand -a " + all[i].name + " -d " + quoted(all[i].help) + "\n";
    for (const OptionWords& option : all[i].options) text += line("__fish_seen_subcommand_from " + all[i].name, option);
  }
  return text;
}

}  // namespace headwise::tools
