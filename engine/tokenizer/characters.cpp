#include "characters.hpp"

#include "unicode.hpp"

namespace headwise {
namespace {

// What a lead byte asks for (Unicode 15.0, table 3-7): how many bytes follow, and which second byte may.
struct Lead {
  int following;
  unsigned char second_first, second_last;
};

Lead lead_of(unsigned char byte) noexcept {
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte >= 0xE0 && byte <= 0xEF) {
    return {2, static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return {3, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
  return {0, 0, 0};
}

struct Decoded {
  char32_t code;
  std::size_t length;
};

// text is not empty and does not start with ASCII.
Decoded decode_one(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Lead lead = lead_of(byte(0));
  if (lead.following == 0) return {replacement_character, 1};
  char32_t code = byte(0) & (0x3F >> lead.following);
  for (std::size_t i = 1; i <= static_cast<std::size_t>(lead.following); ++i) {
    const unsigned char first = i == 1 ? lead.second_first : 0x80, last = i == 1 ? lead.second_last : 0xBF;
    if (i == text.size() || byte(i) < first || byte(i) > last) return {replacement_character, i};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {code, static_cast<std::size_t>(lead.following) + 1};
}

}  // namespace

void Characters::reserve(std::size_t count) {
  codes.reserve(count);
  starts.reserve(count);
  ends.reserve(count);
}

void Characters::clear() noexcept {
  codes.clear();
  starts.clear();
  ends.clear();
}

void Characters::add(char32_t code, std::uint32_t start, std::uint32_t end) {
  codes.push_back(code);
  starts.push_back(start);
  ends.push_back(end);
}

void decode_utf8(std::string_view text, Characters& to) {
  to.reserve(to.size() + text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const Decoded next = byte < 0x80 ? Decoded{byte, 1} : decode_one(text.substr(at));
    to.add(next.code, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + next.length));
    at += next.length;
  }
}

std::u32string codes_of(std::string_view text) {
  Characters characters;
  decode_utf8(text, characters);
  return {characters.codes.begin(), characters.codes.end()};
}

}  // namespace headwise
