#include "command_words.hpp"

#include <CLI/CLI.hpp>

namespace headwise::tools {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// Texts such as " " and "(required)" are there to overrule what CLI11 would print.
std::string value_of(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string text = CLI::detail::trim_copy(option.get_option_text());
  return option.get_expected_max() == 0 ? "" : text;
}

OptionWords describe(const CLI::Option& option) {
  OptionWords words;
  words.names = names_of(option);
  words.value = value_of(option);
  words.group = option.get_group();
  words.help = option.get_description();
  words.positional = option.get_positional();
  words.required = option.get_required();
  const std::string type = option.get_type_name();
  if (type.find('|') != std::string::npos) words.choices = CLI::detail::split(type, '|');
  return words;
}

CommandWords describe(const CLI::App& app) {
  CommandWords words{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) words.options.push_back(describe(*option));
  return words;
}

}  // namespace

const OptionWords* CommandWords::positional() const {
  for (const OptionWords& option : options) {
    if (option.positional) return &option;
  }
  return nullptr;
}

std::vector<CommandWords> describe_commands(const CLI::App& app) {
  std::vector<CommandWords> all{describe(app)};
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) all.push_back(describe(*command));
  }
  return all;
}

std::string single_quoted(const std::string& text) {
  return "'" + CLI::detail::find_and_replace(text, "'", "'\\''") + "'";
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  return CLI::detail::join(words, separator);
}

}  // namespace headwise::tools
