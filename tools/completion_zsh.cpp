// Completion for zsh: specifications for its _arguments.
#include <CLI/CLI.hpp>

#include "command_words.hpp"

namespace headwise::tools {
namespace {

// A file of $fpath is run as the function itself; one that is sourced only tells of it.
constexpr auto tail = R"(if [[ $funcstack[1] == _headwise ]]; then
  _headwise "$@"
else
  compdef _headwise headwise
fi
)";

// Brackets end a description and colons a part of a specification.
std::string escaped(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) {
    text = CLI::detail::find_and_replace(text, special, std::string("\\") + special);
  }
  return text;
}

std::string action(const OptionWords& option) {
  if (option.takes_file()) return "_files";
  return option.choices.empty() ? " " : "(" + joined(option.choices, " ") + ")";
}

std::string specification(const OptionWords& option) {
  const std::string value = ":" + escaped(option.value) + ":" + action(option);
  if (option.positional) return single_quoted((option.required ? "" : ":") + value);
  const std::string rest = "[" + escaped(option.help) + "]" + (option.takes_value() ? value : "");
  if (option.names.size() == 1) return single_quoted(option.names[0] + rest);
  return "'(" + joined(option.names, " ") + ")'{" + joined(option.names, ",") + "}" + single_quoted(rest);
}

std::string arguments(const CommandWords& command) {
  std::string text;
  for (const OptionWords& option : command.options) text += " \\\n          " + specification(option);
  return text;
}

}  // namespace

std::string zsh_completion(const std::vector<CommandWords>& all) {
  std::string commands, cases;
  for (std::size_t i = 1; i < all.size(); ++i) {
    commands += "    " + single_quoted(all[i].name + ":" + escaped(all[i].help)) + "\n";
    cases += "        " + all[i].name + ") _arguments" + arguments(all[i]) + " ;;\n";
  }
  return "#compdef headwise\n# zsh completion for headwise, as 'headwise completion zsh' writes it\n\n_headwise() {\n"
         "  local -a commands\n  local curcontext=\"$curcontext\" state line\n  typeset -A opt_args\n  commands=(\n" +
         commands + "  )\n  _arguments -C" + arguments(all[0]) +
         " \\\n          '1:command:->command' '*::argument:->argument'\n  case $state in\n"
         "    command) _describe -t commands command commands ;;\n    argument)\n      case $line[1] in\n" +
         cases + "      esac ;;\n  esac\n}\n\n" + tail;
}

}  // namespace headwise::tools
