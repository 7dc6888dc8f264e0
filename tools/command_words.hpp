// The command line as data, read back from its definition in CLI11, for shell completion and manual pages: they cannot
// tell of an option that is not there, or miss one that is.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headwise::tools {

struct OptionWords {
  std::vector<std::string> names;    // "-o", "--output"; "FILE" of a positional
  std::string value;                 // as the help has it: "FILE", "N", "f32|f16|bf16"; "" of a flag
  std::vector<std::string> choices;  // of a value that is one of a few words, or a list of them
  std::string group, help;
  bool positional = false, required = false;

  bool takes_value() const { return !positional && !value.empty(); }
  bool takes_file() const { return value.find("FILE") != std::string::npos; }
};

struct CommandWords {
  std::string name, help;  // "run"; "headwise" of the command as a whole
  std::string details;     // what stands below the options
  std::vector<OptionWords> options;

  const OptionWords* positional() const;  // the first, nullptr when there is none
};

// The command as a whole, then its sub-commands, without those that the help hides.
std::vector<CommandWords> describe_commands(const CLI::App& app);

// "--isa" and its like as one shell word each, "'" and all: 'it'\''s'.
std::string single_quoted(const std::string& text);
std::string joined(const std::vector<std::string>& words, const std::string& separator);

// The scripts that a shell loads, and the page of one command in the man macros of roff; `all` as above.
std::string bash_completion(const std::vector<CommandWords>& all);
std::string zsh_completion(const std::vector<CommandWords>& all);
std::string fish_completion(const std::vector<CommandWords>& all);
std::string page_name(const CommandWords& command);  // "headwise-run"
std::string man_page(const CommandWords& command, const std::vector<CommandWords>& all);

}  // namespace headwise::tools
