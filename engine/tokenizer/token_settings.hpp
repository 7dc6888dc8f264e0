// All that a tokenizer is made of, as its files say it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "added_tokens.hpp"
#include "normalizer.hpp"
#include "template.hpp"
#include "vocabulary.hpp"

namespace headwise {

struct TokenSettings {
  std::string file{};  // for messages
  NormalizerSettings normalizer{};
  std::vector<VocabularyEntry> vocabulary{};
  std::vector<AddedToken> added_tokens{};
  Templates templates{};
  std::string unknown = "[UNK]";
  std::string prefix = "##";
  std::uint64_t max_word = 100;
  std::int64_t max_length = 512;
};

inline constexpr std::uint64_t max_tokenizer_bytes = 64u << 20;
inline constexpr std::size_t max_vocabulary = std::size_t{1} << 22;  // the largest known has half a million

inline constexpr std::size_t max_added_tokens = 20'000;
inline constexpr std::size_t max_template = 1'000;  // parts

// The id of a token that the files name; Error(bad_file) when neither vocabulary nor added tokens have it.
std::int64_t id_of(const TokenSettings& settings, const std::string& token);

// Puts the name of the file before the messages of errors that do not know it.
void naming_file(const std::string& file, const std::function<void()>& body);

}  // namespace headwise
