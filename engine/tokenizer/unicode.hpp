// What BERT's rules ask of a code point, as the reference answers it (unicode_versions.hpp).
#pragma once

#include <array>
#include <span>

namespace headwise {

inline constexpr char32_t replacement_character = 0xFFFD;

bool is_space(char32_t c) noexcept;        // White_Space
bool is_control(char32_t c) noexcept;      // general category Cc, Cf or Co, without tab, line feed, carriage return
bool is_punctuation(char32_t c) noexcept;  // category P…, and all of ASCII that is neither letter, digit nor space
bool is_nonspacing_mark(char32_t c) noexcept;  // Mn
bool is_chinese(char32_t c) noexcept;          // the blocks that BERT sets apart
bool is_word_character(char32_t c) noexcept;   // \w of Unicode's regular expressions (UTS 18, annex C)
int combining_class(char32_t c) noexcept;      // 0: starts a new sequence of marks

// Full canonical decomposition, at most 4 code points (Unicode 15.0, section 3.7).
using Decomposition = std::array<char32_t, 4>;
std::span<const char32_t> decompose(char32_t c, Decomposition& room) noexcept;
// Full lower case: two code points for U+0130, else one.
std::span<const char32_t> lower(char32_t c, Decomposition& room) noexcept;

}  // namespace headwise
