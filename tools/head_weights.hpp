// The attention weights of some layers for one text, with its tokens: what view and ask-heads are about.
#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <vector>

#include "head_statistics.hpp"

namespace headwise::tools {

// A word of the text, or a token that the tokenizer put in: the tokens from `begin` to before `end`.
struct TokenWord {
  std::string text;
  std::size_t begin = 0, end = 0;
  bool joined = false;  // the text has no white space between it and the word before
};

struct HeadWeights {
  std::string title;  // of the model or the file
  std::optional<std::string> text, pair;
  std::vector<std::string> tokens;
  std::vector<int> segments;  // of each token: 0 put in by the tokenizer, 1 the text, 2 the pair
  std::vector<TokenWord> words;
  std::vector<std::int64_t> layers;  // their numbers in the model
  std::int64_t heads = 0;
  Tensor attention;     // f32 [layers, heads, tokens, tokens]
  Tensor contribution;  // f32 [layers, heads, tokens]: Euclidean norms of what each head adds; may not be given
  std::vector<std::string> notes;  // what a reader must know, such as that the text was cut

  std::size_t count() const { return tokens.size(); }
  const float* weights(std::size_t layer, std::size_t head) const;  // [tokens, tokens]; `layer` counts `layers`
  const float* norms(std::size_t layer, std::size_t head) const;    // [tokens]
};

// For tokens that come without their text: pieces that begin with ## belong to the word before them, and what follows
// the first separator, if that is not the end, is the second sentence.
std::vector<TokenWord> words_of_tokens(const std::vector<std::string>& tokens);
std::vector<int> segments_of_tokens(const std::vector<std::string>& tokens);

// The layers of --layers in rising order, each once; all for none. Throws UsageError for one that is not there.
std::vector<std::int64_t> checked_layers(std::vector<std::int64_t> layers, std::int64_t count);

// Adds a note where weights or contributions are NaN or infinite.
void note_nonfinite(HeadWeights& weights);

// [layers][heads]
std::vector<std::vector<HeadStatistics>> all_statistics(const HeadWeights& weights);

}  // namespace headwise::tools
