#include "help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "text.hpp"

namespace headwise::tools {
namespace {

// Narrower leaves no room beside the options, wider is hard to read.
constexpr std::int64_t least_width = 50, usual_width = 80, most_width = 120;

std::int64_t columns_of_environment() {
  const char* columns = std::getenv("COLUMNS");
  return columns ? parse_whole_number(columns).value_or(0) : 0;
}

std::int64_t columns_of_terminal() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Blank lines, rows of a table and headings.
bool stands_for_itself(std::string_view line, bool in_paragraph) {
  return line.empty() || line.starts_with("  ") || (line.ends_with(':') && !in_paragraph);
}

// An example is there to be copied whole.
bool is_command(std::string_view line) {
  return line.starts_with("  headwise ");
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::size_t help_width() {
  std::int64_t width = columns_of_environment();
  if (width == 0) width = columns_of_terminal();
  if (width == 0) width = usual_width;
  return static_cast<std::size_t>(std::clamp(width, least_width, most_width));
}

std::string fitted(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) result += wrapped(paragraph, width, 0) + "\n";
    paragraph.clear();
  };
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (stands_for_itself(line, !paragraph.empty())) {
      end_paragraph();
      result += (is_command(line) ? std::string(line) : wrapped(line, width, indent)) + "\n";
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + std::string(line);
    }
  }
  end_paragraph();
  return result;
}

// CLI11 leaves double blank lines between groups, and the usage line belongs to no paragraph.
std::string help_text(const CLI::App& app) {
  std::string text = CLI::detail::find_and_replace(app.help(), "\n\n\n", "\n\n");
  text = CLI::detail::find_and_replace(text, "\nUsage:", "\n\nUsage:");
  return fitted(text, help_width(), help_column);
}

}  // namespace headwise::tools
