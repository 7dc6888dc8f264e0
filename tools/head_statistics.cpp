#include "head_statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "text.hpp"

namespace headwise::tools {
namespace {

constexpr std::array first_names{"[CLS]", "<s>", "<cls>"};
constexpr std::array separator_names{"[SEP]", "</s>", "<sep>"};
constexpr std::array other_names{"[PAD]", "<pad>"};

template <class Names>
bool is_one_of(const Names& names, const std::string& token) {
  return std::find(names.begin(), names.end(), token) != names.end();
}

std::vector<std::size_t> first_of_same_text(const std::vector<std::string>& tokens) {
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < tokens.size(); ++i) same.push_back(places.emplace(tokens[i], i).first->second);
  return same;
}

// Adds what one query does.
void add_query(HeadStatistics& sum, const float* weights, std::size_t query, const TokenKinds& tokens) {
  for (std::size_t key = 0; key < tokens.count(); ++key) {
    const double weight = weights[key];
    if (!(weight <= 0)) sum.entropy -= weight * std::log2(weight);
    sum.distance += weight * std::abs(static_cast<double>(query) - static_cast<double>(key));
    if (tokens.first[key]) sum.first += weight;
    if (tokens.separator[key]) sum.separator += weight;
    if (tokens.same[key] == tokens.same[query]) sum.same += weight;
  }
  sum.itself += weights[query];
  if (query > 0) sum.previous += weights[query - 1];
  if (query + 1 < tokens.count()) sum.next += weights[query + 1];
}

constexpr HeadFigure figures[] = {
    {"entropy", &HeadStatistics::entropy},     {"entropy_share", &HeadStatistics::entropy_share},
    {"distance", &HeadStatistics::distance},   {"first", &HeadStatistics::first},
    {"separator", &HeadStatistics::separator}, {"special", &HeadStatistics::special},
    {"itself", &HeadStatistics::itself},       {"same", &HeadStatistics::same},
    {"previous", &HeadStatistics::previous},   {"next", &HeadStatistics::next},
};

// Half of the weight is what Clark et al. (2019) ask of a head that "attends to" a position.
constexpr HeadPattern patterns[] = {
    {"previous token", {"previous", &HeadStatistics::previous}, 0.5, 0},
    {"next token", {"next", &HeadStatistics::next}, 0.5, 0},
    {"same token", {"same", &HeadStatistics::same}, 0.5, 0},
    {"separator", {"separator", &HeadStatistics::separator}, 0.5, 0},
    {"first token", {"first", &HeadStatistics::first}, 0.5, 0},
    {"special tokens", {"special", &HeadStatistics::special}, 0.5, 1},
    {"broad", {"entropy_share", &HeadStatistics::entropy_share}, 0.8, 2},
};

// In a text of one or two words all shares are large: half of the heads would look at the previous token.
constexpr std::size_t least_ordinary = 4;

std::string place_words(const HeadPattern& pattern, const TokenKinds& tokens) {
  const std::string name = pattern.figure.name;
  if (name == "previous") return "the token before it";
  if (name == "next") return "the token after it";
  if (name == "same") return "itself and tokens of the same text";
  if (name == "separator") return tokens.separator_name;
  if (name == "first") return tokens.first_name;
  return tokens.first_name + " and " + tokens.separator_name + " together, and no other pattern of shares holds";
}

}  // namespace

bool is_separator_token(const std::string& token) {
  return is_one_of(separator_names, token);
}

bool is_special_token(const std::string& token) {
  return is_one_of(first_names, token) || is_separator_token(token) || is_one_of(other_names, token);
}

TokenKinds::TokenKinds(const std::vector<std::string>& tokens) : same(first_of_same_text(tokens)) {
  for (const std::string& token : tokens) {
    first.push_back(is_one_of(first_names, token));
    separator.push_back(is_separator_token(token));
    if (first.back()) first_name = token;
    if (separator.back()) separator_name = token;
    if (!is_special_token(token)) ++ordinary;
  }
}

HeadStatistics head_statistics(const float* weights, const TokenKinds& tokens) {
  HeadStatistics result;
  const auto count = static_cast<double>(tokens.count());
  for (std::size_t query = 0; query < tokens.count(); ++query) {
    add_query(result, weights + query * tokens.count(), query, tokens);
  }
  const double neighbours = std::max(count - 1, 1.0);
  result.previous /= neighbours;
  result.next /= neighbours;
  for (double HeadStatistics::*figure : {&HeadStatistics::entropy, &HeadStatistics::distance, &HeadStatistics::first,
                                         &HeadStatistics::separator, &HeadStatistics::itself, &HeadStatistics::same}) {
    result.*figure /= count;
  }
  result.ordinary = tokens.ordinary;
  result.special = result.first + result.separator;
  result.entropy_share = count > 1 ? result.entropy / std::log2(count) : 0;
  return result;
}

std::span<const HeadFigure> head_figures() {
  return figures;
}

std::span<const HeadPattern> head_patterns() {
  return patterns;
}

const HeadPattern* find_pattern(const HeadStatistics& statistics) {
  if (statistics.ordinary < least_ordinary) return nullptr;
  const HeadPattern* best = nullptr;
  for (const HeadPattern& pattern : patterns) {
    const double figure = statistics.*pattern.figure.value;
    if (!(figure >= pattern.at_least)) continue;
    const bool better = best == nullptr || (pattern.rank == best->rank && figure > statistics.*best->figure.value);
    if (better) best = &pattern;
  }
  return best;
}

std::string pattern_name(const HeadStatistics& statistics) {
  const HeadPattern* pattern = find_pattern(statistics);
  return pattern == nullptr ? "" : pattern->name;
}

std::string why_no_patterns(const TokenKinds& tokens) {
  if (tokens.ordinary >= least_ordinary) return "";
  return "patterns mean something from " + std::to_string(least_ordinary) + " tokens on, those like [CLS] not counted";
}

std::string pattern_rule(const HeadPattern& pattern, const TokenKinds& tokens) {
  const std::string percent = significant(100 * pattern.at_least, 3) + " %";
  if (std::string(pattern.figure.name) == "entropy_share") {
    return "no other pattern holds, and the entropy is at least " + percent + " of the most possible";
  }
  return "on average at least " + percent + " of a token’s weight is on " + place_words(pattern, tokens);
}

}  // namespace headwise::tools
