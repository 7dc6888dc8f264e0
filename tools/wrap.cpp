#include <algorithm>

#include "text.hpp"

namespace headwise::tools {
namespace {

// The byte after `characters` characters: tensor names may hold any UTF-8.
std::size_t end_of(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const bool starts = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    if (starts && characters-- == 0) break;
  }
  return at;
}

std::string wrap_line(std::string rest, std::size_t width, std::size_t indent) {
  std::string result;
  while (end_of(rest, width) < rest.size()) {
    const std::size_t blank = rest.rfind(' ', end_of(rest, width));
    const bool usable = blank != std::string::npos && blank > indent && rest.find_first_not_of(' ') < blank;
    if (!usable) break;
    result += rest.substr(0, rest.find_last_not_of(' ', blank) + 1) + "\n";
    rest = std::string(indent, ' ') + rest.substr(blank + 1);
  }
  return result + rest;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += wrap_line(std::string(text.substr(0, end)), width, indent);
    if (end < text.size()) result += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace headwise::tools
