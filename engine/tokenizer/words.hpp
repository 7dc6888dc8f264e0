// Cleaned text to words, and words to pieces of the vocabulary.
#pragma once

#include <cstdint>
#include <vector>

#include "characters.hpp"
#include "vocabulary.hpp"

namespace headwise {

// The tokens of a text, without those that are put around it.
struct Tokens {
  std::vector<std::int64_t> ids{}, starts{}, ends{}, words{};  // as in Encoding
  std::int64_t num_words = 0;

  std::size_t size() const noexcept { return ids.size(); }
  void add(std::int64_t id, std::uint32_t start, std::uint32_t end);  // of the last word
};

struct WordSettings {
  std::int64_t unknown = 0;    // the id of what the vocabulary cannot put together
  std::size_t max_word = 100;  // code points; longer words are unknown
};

// Words end at white space, and each punctuation mark is one. A word becomes the longest piece that it begins with, and
// so on; one whose rest begins with none is a single unknown token.
void add_words(const Characters& text, Span span, const Vocabulary& vocabulary, const WordSettings& settings,
               Tokens& to);

}  // namespace headwise
