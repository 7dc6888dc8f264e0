// What an attention head does with a text: figures over its weights, and a word where a simple pattern holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headwise::tools {

// What the figures need to know of the tokens.
struct TokenKinds {
  std::vector<bool> first, separator;  // [CLS] or <s>, [SEP] or </s>
  std::vector<std::size_t> same;       // the first token with the same text
  std::size_t ordinary = 0;            // how many the model did not put in
  std::string first_name = "[CLS]", separator_name = "[SEP]";

  explicit TokenKinds(const std::vector<std::string>& tokens);
  std::size_t count() const { return same.size(); }
};

bool is_special_token(const std::string& token);    // one of the names that models use for tokens they put in
bool is_separator_token(const std::string& token);  // those of them that end a sentence

// Means over the queries; shares are of a query's weight.
struct HeadStatistics {
  double entropy = 0;                            // bits: −Σ w·log2 w
  double entropy_share = 0;                      // of the most possible, log2 of the number of keys; 0 for one token
  double distance = 0;                           // tokens: Σ w·|query − key|
  double first = 0, separator = 0, special = 0;  // share on the first token, on separators, on both
  double itself = 0, same = 0;                   // share on the token itself, on it and all of the same text
  double previous = 0, next = 0;                 // share on its neighbours, over the queries that have one
  std::size_t ordinary = 0;                      // tokens that the model did not put in
};

// The weights of one head [queries, keys], as many of each as there are tokens. NaN arrives.
HeadStatistics head_statistics(const float* weights, const TokenKinds& tokens);

// A figure by its name, in the order in which they are told.
struct HeadFigure {
  const char* name = "";
  double HeadStatistics::*value = nullptr;
};
std::span<const HeadFigure> head_figures();

// A pattern holds where its figure reaches a threshold. Of several that hold, those of the lowest rank count, and of
// these the one with the largest figure.
struct HeadPattern {
  const char* name = "";
  HeadFigure figure;
  double at_least = 0;
  int rank = 0;
};
std::span<const HeadPattern> head_patterns();
const HeadPattern* find_pattern(const HeadStatistics& statistics);  // null: none holds, or too few tokens
std::string why_no_patterns(const TokenKinds& tokens);              // "" where there are tokens enough
std::string pattern_name(const HeadStatistics& statistics);         // "": none holds
std::string pattern_rule(const HeadPattern& pattern, const TokenKinds& tokens);

}  // namespace headwise::tools
