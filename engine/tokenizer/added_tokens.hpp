// Tokens that are found in a text before it is cut into words, as the reference finds them: "[MASK]".
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "characters.hpp"
#include "normalizer.hpp"

namespace headwise {

struct AddedToken {
  std::string content{};
  std::int64_t id = 0;
  bool single_word = false;  // only where no letter or digit stands beside it
  bool lstrip = false;       // takes the white space before it along
  bool rstrip = false;       // and behind it
  bool normalized = false;   // looked for in the text as it is after cleaning
};

// Longest content, in code points: the time to look for tokens goes with it.
inline constexpr std::size_t max_added_token = 256;

// A part of a text: an added token, or what is between two (id −1).
struct Piece {
  Span span{};
  std::int64_t id = -1;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // Tokens whose `normalized` is this one; their contents are cleaned first if it is true.
  // Throws Error(unsupported) when nothing is left of one.
  AddedTokens(const std::vector<AddedToken>& tokens, bool normalized, const NormalizerSettings& settings);

  // The parts of text[span] in order, none empty, put behind those in `to`. Of tokens that begin at one place the
  // longest is taken.
  void split(const Characters& text, Span span, std::vector<Piece>& to) const;

 private:
  struct Entry {
    std::u32string content;
    AddedToken token;
  };
  const Entry* find(const Characters& text, std::size_t at, std::size_t end) const;

  std::vector<Entry> entries_{};    // by content
  std::bitset<256> first_bytes_{};  // low bytes of their first code points
};

}  // namespace headwise
