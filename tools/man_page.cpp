// A manual page in the man macros of roff.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <headwise/attention.hpp>
#include <string_view>

#include "command_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr auto environment = R"(.SH ENVIRONMENT
.TP
.B HEADWISE_ISA
The kernels to use where no option names them, as \fB\-\-isa\fR does.
.TP
.B OMP_NUM_THREADS
The default number of threads, as far as affinity and quota allow it. What is no number is ignored.
.TP
.B COLUMNS
The width of help texts, instead of that of the terminal.
.TP
.B TERM
Where it is \fBdumb\fR, no progress is drawn.
.TP
.B NO_COLOR
Has nothing to turn off: no output has colours or escape sequences.
.TP
.B LC_ALL
Changes nothing: numbers have a decimal point in every locale, and output is UTF\-8.
)";

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// roff reads a backslash as the start of a request, a hyphen as one that may break a line, and bytes that are not ASCII
// in whatever encoding it was told.
std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const std::string_view character = text.substr(at, length);
    if (character == "\\") {
      result += "\\e";
    } else if (character == "-") {
      result += "\\-";
    } else if (length > 1) {
      result += "\\[u" + upper(scalar_value(character)) + "]";
    } else {
      result += character;
    }
    at += length;
  }
  return result;
}

// A line of text must not begin with a dot or an apostrophe, which mark requests.
std::string text_line(std::string_view text) {
  const bool request = text.starts_with('.') || text.starts_with('\'');
  return (request ? "\\&" : "") + escaped(text) + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}

// Paragraphs are filled; lines that begin with blanks and the examples stand as they are.
std::string details_text(std::string_view text) {
  std::string result = ".SH DESCRIPTION\n";
  bool as_it_is = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool plain = line.starts_with("  ");
    if (plain != as_it_is) result += plain ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n";
    as_it_is = plain;
    if (line.empty()) {
      result += text.empty() || text.starts_with("Example:") || text.starts_with("  ") ? "" : ".PP\n";
    } else if (line == "Example:") {
      result += ".SH EXAMPLES\n";
    } else {
      result += text_line(plain ? line.substr(2) : line);
    }
  }
  return result + (as_it_is ? ".RE\n.fi\n" : "");
}

std::string option_entry(const OptionWords& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  const std::string value = option.takes_value() ? " \\fI" + escaped(option.value) + "\\fR" : "";
  return ".TP\n" + joined(names, ", ") + value + "\n" + text_line(option.help);
}

std::vector<std::string> groups_of(const CommandWords& command) {
  std::vector<std::string> groups;
  for (const OptionWords& option : command.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  return groups;
}

// In the order of the help; the first group has no name worth saying.
std::string options_text(const CommandWords& command) {
  std::string text = ".SH OPTIONS\n";
  for (const std::string& group : groups_of(command)) {
    if (group != "Options") text += ".SS " + escaped(group) + "\n";
    for (const OptionWords& option : command.options) {
      if (option.group == group) text += option_entry(option);
    }
  }
  return text;
}

std::string synopsis(const CommandWords& command) {
  const bool whole = command.name == "headwise";
  std::string text = ".SH SYNOPSIS\n" + bold(whole ? "headwise" : "headwise " + command.name) + " [\\fIOPTIONS\\fR]";
  if (whole) text += " \\fICOMMAND\\fR";
  for (const OptionWords& option : command.options) {
    if (!option.positional) continue;
    text += option.required ? " \\fI" + option.value + "\\fR" : " [\\fI" + option.value + "\\fR]";
  }
  return text + "\n";
}

std::string command_list(const std::vector<CommandWords>& all) {
  std::string text = ".SH COMMANDS\n";
  for (std::size_t i = 1; i < all.size(); ++i) text += ".TP\n" + bold(all[i].name) + "\n" + text_line(all[i].help);
  return text;
}

std::string see_also(const CommandWords& command, const std::vector<CommandWords>& all) {
  std::vector<std::string> pages;
  for (const CommandWords& other : all) {
    if (other.name != command.name) pages.push_back(bold(page_name(other)) + "(1)");
  }
  return ".SH SEE ALSO\n" + joined(pages, ",\n") + "\n";
}

}  // namespace

std::string page_name(const CommandWords& command) {
  return command.name == "headwise" ? command.name : "headwise-" + command.name;
}

std::string man_page(const CommandWords& command, const std::vector<CommandWords>& all) {
  const bool whole = command.name == "headwise";
  const std::string name = page_name(command);
  std::string text = ".\\\" As 'headwise man' writes it from the definitions of the options.\n.TH " +
                     escaped(upper(name)) + " 1 \"\" \"headwise " + version() + "\" \"headwise manual\"\n";
  text += ".SH NAME\n" + escaped(name) + " \\- " + text_line(command.help);
  text += synopsis(command) + details_text(CLI::detail::trim_copy(command.details));
  if (whole) text += command_list(all);
  text += options_text(command);
  if (whole) text += environment;
  return text + see_also(command, all);
}

}  // namespace headwise::tools
