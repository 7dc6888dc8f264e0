#include "unicode.hpp"

#include <algorithm>
#include <iterator>

#include "unicode_library.hpp"
#include "unicode_versions.hpp"

namespace headwise {
namespace {

constexpr struct {
  char32_t first, last;
} chinese_blocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
                      {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};

// Letters by Other_Alphabetic: circled and squared Latin.
constexpr struct {
  char32_t first, last;
} letter_symbols[] = {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};

template <class List>
bool holds(const List& list, char32_t c) noexcept {
  return std::any_of(std::begin(list), std::end(list), [=](auto range) { return range.first <= c && c <= range.last; });
}

int category(char32_t c) noexcept {
  switch (c) {     // changed since Unicode 8
    case 0x166D:   // CANADIAN SYLLABICS CHI SIGN
    case 0x111C9:  // SHARADA SANDHI MARK
      return UTF8PROC_CATEGORY_PO;
    case 0x1734:  // HANUNOO SIGN PAMUDPOD
      return UTF8PROC_CATEGORY_MN;
    default:
      return is_newer_than_categories(c) ? UTF8PROC_CATEGORY_CN : utf8proc().category(static_cast<utf8proc_int32_t>(c));
  }
}

bool is_ascii_punctuation(char32_t c) noexcept {
  return (c > ' ' && c < '0') || (c > '9' && c < 'A') || (c > 'Z' && c < 'a') || (c > 'z' && c < 0x7F);
}

}  // namespace

bool is_space(char32_t c) noexcept {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_control(char32_t c) noexcept {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const int kind = category(c);
  return kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF || kind == UTF8PROC_CATEGORY_CO;
}

bool is_punctuation(char32_t c) noexcept {
  if (c < 0x80) return is_ascii_punctuation(c);
  const int kind = category(c);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_nonspacing_mark(char32_t c) noexcept {
  return category(c) == UTF8PROC_CATEGORY_MN;
}

bool is_chinese(char32_t c) noexcept {
  return holds(chinese_blocks, c);
}

bool is_word_character(char32_t c) noexcept {
  if (c == 0x200C || c == 0x200D || holds(letter_symbols, c)) return true;
  const int kind = utf8proc().category(static_cast<utf8proc_int32_t>(c));
  return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NL) || kind == UTF8PROC_CATEGORY_PC;
}

int combining_class(char32_t c) noexcept {
  if (c < 0x300 || is_newer_than_orders(c)) return 0;
  return utf8proc().get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

std::span<const char32_t> decompose(char32_t c, Decomposition& room) noexcept {
  utf8proc_int32_t parts[4];
  int last_class = 0;
  const bool newer = c == 0x11938;  // got its decomposition with Unicode 13
  const auto count =
      newer ? 0
            : utf8proc().decompose_char(static_cast<utf8proc_int32_t>(c), parts, 4, UTF8PROC_DECOMPOSE, &last_class);
  if (count < 1 || count > 4) {
    room[0] = c;
    return {room.data(), 1};
  }
  std::copy_n(parts, count, room.begin());
  return {room.data(), static_cast<std::size_t>(count)};
}

std::span<const char32_t> lower(char32_t c, Decomposition& room) noexcept {
  if (c == 0x130) {
    room[0] = 'i';
    room[1] = 0x307;
    return {room.data(), 2};
  }
  const char32_t newer = newer_lower(c);
  room[0] = newer != c ? newer : static_cast<char32_t>(utf8proc().tolower(static_cast<utf8proc_int32_t>(c)));
  return {room.data(), 1};
}

}  // namespace headwise
