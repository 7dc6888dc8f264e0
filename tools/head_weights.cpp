#include "head_weights.hpp"

#include <algorithm>
#include <numeric>

#include "console.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace headwise::tools {

const float* HeadWeights::weights(std::size_t layer, std::size_t head) const {
  return attention.data() + (layer * static_cast<std::size_t>(heads) + head) * count() * count();
}

const float* HeadWeights::norms(std::size_t layer, std::size_t head) const {
  return contribution.data() + (layer * static_cast<std::size_t>(heads) + head) * count();
}

std::vector<TokenWord> words_of_tokens(const std::vector<std::string>& tokens) {
  std::vector<TokenWord> words;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool piece = tokens[i].starts_with("##") && tokens[i].size() > 2 && !words.empty();
    if (!piece) words.push_back({"", i, i, false});
    words.back().text += piece ? tokens[i].substr(2) : tokens[i];
    words.back().end = i + 1;
  }
  return words;
}

std::vector<int> segments_of_tokens(const std::vector<std::string>& tokens) {
  std::vector<int> segments;
  int sentence = 1;
  for (const std::string& token : tokens) {
    segments.push_back(is_special_token(token) ? 0 : sentence);
    if (is_separator_token(token)) sentence = 2;
  }
  return segments;
}

std::vector<std::int64_t> checked_layers(std::vector<std::int64_t> layers, std::int64_t count) {
  if (layers.empty()) {
    layers.resize(static_cast<std::size_t>(count));
    std::iota(layers.begin(), layers.end(), std::int64_t{0});
  }
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  if (layers.back() < count) return layers;
  throw UsageError("--layers " + std::to_string(layers.back()) + ": there are " + plural(count, "layer") +
                   ", counted from 0");
}

void note_nonfinite(HeadWeights& weights) {
  const auto add = [&weights](const std::string& what, const Tensor& values) {
    const NonFinite found = values.given() ? count_nonfinite(values) : NonFinite{};
    if (found.any()) weights.notes.push_back(what + " hold " + to_text(found));
  };
  add("the weights", weights.attention);
  add("the norms of what heads add", weights.contribution);
}

std::vector<std::vector<HeadStatistics>> all_statistics(const HeadWeights& weights) {
  const TokenKinds kinds(weights.tokens);
  std::vector<std::vector<HeadStatistics>> all(weights.layers.size());
  for (std::size_t layer = 0; layer < all.size(); ++layer) {
    for (std::size_t head = 0; head < static_cast<std::size_t>(weights.heads); ++head) {
      all[layer].push_back(head_statistics(weights.weights(layer, head), kinds));
    }
  }
  return all;
}

}  // namespace headwise::tools
