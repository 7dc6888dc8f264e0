// Help texts as wide as the place that they are read in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace headwise::tools {

inline constexpr std::size_t help_column = 30;  // where the words about an option begin

// COLUMNS, else the width of the terminal on standard output, else 80; from 50 to 120.
std::size_t help_width();
// Text of paragraphs that are filled again, and of lines that begin with two blanks and stand for themselves: what does
// not fit of those goes on `indent` blanks in, unless they are commands.
std::string fitted(std::string_view text, std::size_t width, std::size_t indent);
// The help of the chosen sub-command.
std::string help_text(const CLI::App& app);

}  // namespace headwise::tools
