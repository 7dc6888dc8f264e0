#include "ask_heads.hpp"

#include <algorithm>
#include <cmath>

#include "console.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string lower(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

using Words = std::vector<TokenWord>;

Words single_words(const Words& words, const std::string& text) {
  Words found;
  std::copy_if(words.begin(), words.end(), std::back_inserter(found),
               [&text](const TokenWord& word) { return word.text == text; });
  return found;
}

// The words from `first` on that together spell a text, the tokenizer having split it at its punctuation.
std::optional<TokenWord> run_that_spells(const Words& words, std::size_t first, const std::string& text) {
  TokenWord run = words[first];
  for (std::size_t next = first + 1; next < words.size() && words[next].joined && text.starts_with(run.text); ++next) {
    if (run.text.size() == text.size()) break;
    run.text += words[next].text;
    run.end = words[next].end;
  }
  return run.text == text ? std::optional(run) : std::nullopt;
}

Words runs_that_spell(const Words& words, const std::string& text) {
  Words found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool taken = !found.empty() && words[i].begin < found.back().end;
    if (const auto run = taken ? std::nullopt : run_that_spells(words, i, text)) found.push_back(*run);
  }
  return found;
}

Words in_lower_case(Words words) {
  for (TokenWord& word : words) word.text = lower(word.text);
  return words;
}

// As the text has them, though they were found in lower case.
Words restored(Words found, const Words& words) {
  for (TokenWord& run : found) {
    run.text.clear();
    for (const TokenWord& word : words) {
      if (word.begin >= run.begin && word.end <= run.end) run.text += word.text;
    }
  }
  return found;
}

Words equal_words(const Words& words, const std::string& text) {
  const Words small = in_lower_case(words);
  for (const auto& find : {single_words, runs_that_spell}) {
    if (const Words found = find(words, text); !found.empty()) return found;
    if (const Words found = find(small, lower(text)); !found.empty()) return restored(found, words);
  }
  return {};
}

// In quotes, and never longer than a line can hold.
std::string quoted(const std::string& text) {
  constexpr std::size_t most = 40;
  std::size_t end = 0;
  while (end < text.size() && end < most) end += utf8_length(text.substr(end, 4));
  return "'" + printable(text.substr(0, end)) + (end < text.size() ? "…'" : "'");
}

std::string word_list(const Words& words) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (const TokenWord& word : words) {
    const std::string name = quoted(word.text);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i > 0 ? ", " : "") + names[i];
  return list + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

[[noreturn]] void refuse_word(const HeadWeights& weights, const std::string& word) {
  throw UsageError("the text has no word " + quoted(word) + "; its words are " + word_list(weights.words));
}

WordChoice choice_of(const Words& words) {
  WordChoice choice{words.front().text, words.front().text, {}, words.size()};
  for (const TokenWord& word : words) {
    for (std::size_t token = word.begin; token < word.end; ++token) choice.tokens.push_back(token);
  }
  return choice;
}

// The largest first, NaN last.
auto by(double HeadAnswer::*weight) {
  return [weight](const HeadAnswer& a, const HeadAnswer& b) {
    const double left = a.*weight, right = b.*weight;
    return std::isnan(right) ? !std::isnan(left) : left > right;
  };
}

void rank(HeadAnswers& answers) {
  constexpr std::size_t most = 3;
  std::vector<HeadAnswer>& heads = answers.heads;
  answers.nan_heads =
      std::count_if(heads.begin(), heads.end(), [](const HeadAnswer& answer) { return std::isnan(answer.forward); });
  answers.other_way = heads;
  std::stable_sort(answers.other_way.begin(), answers.other_way.end(), by(&HeadAnswer::backward));
  answers.other_way.resize(std::min(most, heads.size()));
  std::stable_sort(heads.begin(), heads.end(), by(&HeadAnswer::forward));
}

}  // namespace

WordChoice find_word(const HeadWeights& weights, const std::string& wanted) {
  if (const Words all = equal_words(weights.words, wanted); !all.empty()) return choice_of(all);
  const std::size_t colon = wanted.rfind(':');
  const auto number = colon == std::string::npos ? std::nullopt : parse_whole_number(wanted.substr(colon + 1));
  if (!number) refuse_word(weights, wanted);
  const std::string text = wanted.substr(0, colon);
  const Words words = equal_words(weights.words, text);
  if (words.empty()) refuse_word(weights, text);
  if (*number >= 1 && *number <= static_cast<std::int64_t>(words.size())) {
    WordChoice choice = choice_of({words[static_cast<std::size_t>(*number - 1)]});
    choice.name += ":" + std::to_string(*number);
    return choice;
  }
  throw UsageError(quoted(wanted) + ": the text has " + quoted(text) + " " +
                   plural(static_cast<std::int64_t>(words.size()), "time") + ", counted from 1");
}

double pair_weight(const float* weights, std::size_t count, const WordChoice& from, const WordChoice& to) {
  double sum = 0;
  for (const std::size_t query : from.tokens) {
    for (const std::size_t key : to.tokens) sum += weights[query * count + key];
  }
  return sum / static_cast<double>(from.tokens.size());
}

HeadAnswers ask_heads(const HeadWeights& weights, const std::string& from, const std::string& to) {
  HeadAnswers answers{find_word(weights, from), find_word(weights, to), 0, 0, {}, {}, 0};
  const auto count = static_cast<double>(weights.count());
  answers.uniform_forward = static_cast<double>(answers.to.tokens.size()) / count;
  answers.uniform_backward = static_cast<double>(answers.from.tokens.size()) / count;
  const auto statistics = all_statistics(weights);
  for (std::size_t layer = 0; layer < statistics.size(); ++layer) {
    for (std::size_t head = 0; head < statistics[layer].size(); ++head) {
      const float* values = weights.weights(layer, head);
      const double forward = pair_weight(values, weights.count(), answers.from, answers.to);
      const double backward = pair_weight(values, weights.count(), answers.to, answers.from);
      answers.heads.push_back({layer, head, forward, backward, statistics[layer][head]});
    }
  }
  rank(answers);
  return answers;
}

}  // namespace headwise::tools
