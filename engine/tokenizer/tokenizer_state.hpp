// What is behind a Tokenizer.
#pragma once

#include "added_tokens.hpp"
#include "headwise/tokenizer.hpp"
#include "normalizer.hpp"
#include "template.hpp"
#include "token_settings.hpp"
#include "vocabulary.hpp"
#include "words.hpp"

namespace headwise {

struct Tokenizer::State {
  NormalizerSettings normalizer;
  Vocabulary vocabulary;
  AddedTokens raw, cleaned;  // found before and after cleaning
  WordSettings words;
  Templates templates;
  std::int64_t max_length;

  // Throws Error(bad_file) where the parts contradict each other, or Error(unsupported).
  explicit State(TokenSettings settings);
  Tokens tokenize(std::string_view text) const;

 private:
  void fill(TokenSettings& settings);
};

}  // namespace headwise
