#include "text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace headwise::tools {
namespace {

using Byte = unsigned char;

// The length of the well-formed UTF-8 sequence that text starts with, 0 when there is none (Unicode table 3-7).
std::size_t well_formed_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<Byte>(text[i]) : Byte{0}; };
  const auto continues = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const Byte first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong_or_surrogate = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F);
    return continues(1) && continues(2) && !overlong_or_surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool out_of_range = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
    return continues(1) && continues(2) && continues(3) && !out_of_range ? 4 : 0;
  }
  return 0;
}

std::string escaped_byte(char byte) {
  static constexpr char digits[] = "0123456789ABCDEF";
  const auto value = static_cast<Byte>(byte);
  return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

// Control characters are those of ASCII and, as two bytes C2 80 … C2 9F, those of Latin-1.
bool is_control(std::string_view sequence) {
  const auto first = static_cast<Byte>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<Byte>(sequence[1]) < 0xA0;
}

std::string escape(std::string_view text, bool controls_too) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = well_formed_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || (controls_too && is_control(sequence))) {
      for (const char byte : sequence) result += escaped_byte(byte);
    } else {
      result += sequence;
    }
    text.remove_prefix(sequence.size());
  }
  return result;
}

template <class... Format>
std::string number(Format... format) {
  std::array<char, 400> buffer;  // the longest: a double near 1e308 in fixed form
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), format...).ptr;
  return {buffer.data(), end};
}

// from_chars knows no locale and skips no blanks.
template <class Number>
std::optional<Number> parse_all(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string scaled_text(double amount, const std::string& noun) {
  static constexpr std::array units{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  for (; amount >= 999.5 && unit + 1 < units.size(); ++unit) amount /= 1000;
  const int decimals = unit > 0 && amount < 99.95 ? 1 : 0;
  return fixed(amount, decimals) + " " + units[unit] + noun;
}

}  // namespace

std::string scalar_value(std::string_view character) {
  auto value = static_cast<std::uint32_t>(static_cast<Byte>(character[0]));
  if (character.size() > 1) value &= 0x7Fu >> character.size();
  for (const char byte : character.substr(1)) value = value << 6 | (static_cast<Byte>(byte) & 0x3Fu);
  const std::string digits = number(value, 16);
  return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

std::size_t utf8_length(std::string_view text) {
  return std::max<std::size_t>(well_formed_length(text), 1);
}

std::string valid_utf8(std::string_view text) {
  return escape(text, false);
}
std::string printable(std::string_view text) {
  return escape(text, true);
}

std::string shortest(float value) {
  return number(value);
}
std::string shortest(double value) {
  return number(value);
}
std::string significant(double value, int digits) {
  return number(value, std::chars_format::general, digits);
}
std::string fixed(double value, int decimals) {
  return number(value, std::chars_format::fixed, decimals);
}

std::optional<std::int64_t> parse_whole_number(const std::string& text) {
  if (text.empty() || text[0] == '-') return std::nullopt;
  return parse_all<std::int64_t>(text);
}

std::optional<float> parse_float(const std::string& text) {
  return parse_all<float>(text);
}

std::optional<double> parse_double(const std::string& text) {
  return parse_all<double>(text);
}

std::string byte_text(std::uint64_t bytes) {
  return scaled_text(static_cast<double>(bytes), "B");
}

std::string flop_text(double flops) {
  return scaled_text(flops, "FLOP");
}

std::string plural(std::int64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = 3;  // further away is no typing mistake
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edit_distance(word, candidate);
    if (edits < fewest && edits < candidate.size()) fewest = edits, best = candidate;
  }
  return best;
}

}  // namespace headwise::tools
