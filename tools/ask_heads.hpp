// Which heads tie two words of a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "head_weights.hpp"

namespace headwise::tools {

// The tokens of a word, wherever it stands, or of one of its occurrences.
struct WordChoice {
  std::string text;                 // as the text has it
  std::string name;                 // with its number, where one was given
  std::vector<std::size_t> tokens;  // rising
  std::size_t occurrences = 0;      // that were chosen
};

// "bank", or "bank:2" for the second one; upper and lower case of ASCII count as the same where no word is equal. Words
// that the tokenizer put in are meant by their names, "[CLS]". What the tokenizer splits, "don't", is found where the
// text has it in one piece. Throws UsageError listing the words.
WordChoice find_word(const HeadWeights& weights, const std::string& wanted);

struct HeadAnswer {
  std::size_t layer = 0, head = 0;  // `layer` counts HeadWeights::layers
  double forward = 0, backward = 0;
  HeadStatistics statistics;
};

struct HeadAnswers {
  WordChoice from, to;
  double uniform_forward = 0, uniform_backward = 0;  // what a head has that looks at all tokens alike
  std::vector<HeadAnswer> heads;                     // by `forward`, falling, NaN last
  std::vector<HeadAnswer> other_way;                 // the first few by `backward`
  std::int64_t nan_heads = 0;                        // whose `forward` is NaN
};

// The weight of a word pair is the mean over the tokens of the word that looks, of the sum over those of the other.
double pair_weight(const float* weights, std::size_t count, const WordChoice& from, const WordChoice& to);

HeadAnswers ask_heads(const HeadWeights& weights, const std::string& from, const std::string& to);

}  // namespace headwise::tools
