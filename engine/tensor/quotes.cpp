#include "quotes.hpp"

#include <algorithm>

namespace headwise {
namespace {

// The length of the UTF-8 sequence at the start of text, or 0 when it is no well-formed one.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  // Overlong forms, surrogates and numbers past U+10FFFF.
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length : 0;
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != 0x7f && c != '\'' && c != '\\';
}

// Control characters are those of ASCII and, as two bytes, those of Latin-1.
bool is_shown(std::string_view sequence) {
  return is_plain(sequence[0]) && !(sequence.size() == 2 && sequence[0] == '\xc2' && sequence[1] < '\xa0');
}

std::string escaped(char c) {
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
}

}  // namespace

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 120;
  std::string text = "'";
  while (!name.empty() && text.size() < longest) {
    const std::string_view sequence = name.substr(0, std::max<std::size_t>(sequence_length(name), 1));
    const bool shown = sequence_length(name) > 0 && is_shown(sequence);
    for (const char c : sequence) text += shown ? std::string(1, c) : escaped(c);
    name.remove_prefix(sequence.size());
  }
  return text + (name.empty() ? "'" : "…'");
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace headwise
