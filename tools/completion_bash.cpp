// Completion for bash 4.4 and later, which needs nothing of the bash-completion package.
#include "command_words.hpp"

namespace headwise::tools {
namespace {

// "--isa=avx2" reaches the function as three words, since = breaks words in bash.
constexpr auto head = R"(# bash completion for headwise, as 'headwise completion bash' writes it

_headwise_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

_headwise_files() {
  compopt -o filenames 2>/dev/null || :
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}

_headwise() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="" word
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then
      command="$word"
      break
    fi
  done
  COMPREPLY=()
)";

constexpr auto tail = R"(}

complete -F _headwise headwise
)";

void add_names(std::string& words, const std::vector<OptionWords>& options) {
  for (const OptionWords& option : options) {
    if (!option.positional) words += (words.empty() ? "" : " ") + joined(option.names, " ");
  }
}

std::string words_line(const std::string& words) {
  return "_headwise_words " + single_quoted(words);
}

// A value that nobody can guess completes to nothing.
std::string value_line(const OptionWords& option) {
  if (option.takes_file()) return "_headwise_files";
  return option.choices.empty() ? ":" : words_line(joined(option.choices, " "));
}

std::string value_cases(const std::vector<CommandWords>& all) {
  std::string lines = "  case \"$command $previous\" in\n";
  for (const CommandWords& command : all) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back("'" + command.name + " " + name + "'");
      lines += "    " + joined(patterns, " | ") + ") " + value_line(option) + " && return ;;\n";
    }
  }
  return lines + "  esac\n";
}

std::string command_case(const CommandWords& command) {
  std::string names;
  add_names(names, command.options);
  const OptionWords* positional = command.positional();
  const std::string other = positional ? value_line(*positional) : ":";
  return "    " + command.name + ") if [[ $current == -* ]]; then " + words_line(names) + "; else " + other +
         "; fi ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<CommandWords>& all) {
  std::string first, cases;
  for (std::size_t i = 1; i < all.size(); ++i) {
    first += (first.empty() ? "" : " ") + all[i].name;
    cases += command_case(all[i]);
  }
  add_names(first, all[0].options);
  cases = "  case \"$command\" in\n    '') " + words_line(first) + " ;;\n" + cases + "  esac\n";
  return head + value_cases(all) + cases + tail;
}

}  // namespace headwise::tools
