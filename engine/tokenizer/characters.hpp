// Text as code points, each with the bytes of the caller's text that it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

struct Characters {
  std::vector<char32_t> codes{};
  std::vector<std::uint32_t> starts{}, ends{};  // bytes

  std::size_t size() const noexcept { return codes.size(); }
  void reserve(std::size_t count);
  void clear() noexcept;
  void add(char32_t code, std::uint32_t start, std::uint32_t end);
};

// Places in Characters, from one up to but without the other.
struct Span {
  std::size_t begin = 0, end = 0;
  std::size_t size() const noexcept { return end - begin; }
};

// Puts the code points of UTF-8 behind those that are there. Each longest start of a character that does not go on as
// it must becomes one U+FFFD. text is at most 4 GiB.
void decode_utf8(std::string_view text, Characters& to);
std::u32string codes_of(std::string_view text);

}  // namespace headwise
