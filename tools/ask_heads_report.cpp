#include "ask_heads_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "head_source.hpp"
#include "json_output.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::size_t shown(const HeadAnswers& answers, std::size_t top) {
  return top == 0 ? answers.heads.size() : std::min(top, answers.heads.size());
}

std::string head_name(const HeadWeights& weights, const HeadAnswer& answer) {
  return std::to_string(weights.layers[answer.layer]) + "." + std::to_string(answer.head);
}

std::string times_uniform(double weight, double uniform) {
  return fixed(weight / uniform, 1);
}

std::string word_text(const HeadWeights& weights, const WordChoice& word) {
  std::string text = printable(word.name) + " is ";
  text += word.tokens.size() == 1 ? "token " : "the tokens ";
  for (std::size_t i = 0; i < word.tokens.size(); ++i) {
    text +=
        (i > 0 ? ", " : "") + std::to_string(word.tokens[i]) + " (" + printable(weights.tokens[word.tokens[i]]) + ")";
  }
  return text + (word.occurrences > 1 ? ", all " + std::to_string(word.occurrences) + " times" : "");
}

std::string rule_text(const HeadAnswers& answers) {
  const bool one_each = answers.from.tokens.size() == 1 && answers.to.tokens.size() == 1;
  const std::string rule =
      one_each ? "" : "Over several tokens: the mean over those of the word that looks, of the sum over the other's.\n";
  return rule + "1 × even: what a head has that looks at all tokens alike.\n";
}

std::string count_text(const HeadAnswers& answers) {
  const auto above = std::count_if(answers.heads.begin(), answers.heads.end(),
                                   [&](const HeadAnswer& answer) { return answer.forward > answers.uniform_forward; });
  return std::to_string(above) + " of " + plural(static_cast<std::int64_t>(answers.heads.size()), "head") +
         " above even, " + significant(answers.uniform_forward, 4) +
         (answers.nan_heads > 0 ? "; " + std::to_string(answers.nan_heads) + " without a number (NaN), listed last"
                                : "");
}

std::string arrow(const WordChoice& from, const WordChoice& to) {
  return printable(from.name) + " → " + printable(to.name);
}

// The table is by one direction, and may not hold the strongest heads of the other.
std::string other_way_text(const HeadWeights& weights, const HeadAnswers& answers) {
  std::string text = "The other way, " + arrow(answers.to, answers.from) + ", most: ";
  for (const HeadAnswer& answer : answers.other_way) {
    const bool first = &answer == &answers.other_way.front();
    text += (first ? "" : ", ") + head_name(weights, answer) + " " + fixed(answer.backward, 4) + " (" +
            times_uniform(answer.backward, answers.uniform_backward) + " × even)";
  }
  return text + ".\n";
}

Table answers_table(const HeadWeights& weights, const HeadAnswers& answers, std::size_t top) {
  Table table("");
  table.row({"rank", "layer.head", arrow(answers.from, answers.to), "× even", arrow(answers.to, answers.from), "× even",
             "pattern"});
  for (std::size_t i = 0; i < shown(answers, top); ++i) {
    const HeadAnswer& answer = answers.heads[i];
    table.row({std::to_string(i + 1), head_name(weights, answer), fixed(answer.forward, 4),
               times_uniform(answer.forward, answers.uniform_forward), fixed(answer.backward, 4),
               times_uniform(answer.backward, answers.uniform_backward), pattern_name(answer.statistics)});
  }
  return table;
}

Json word_json(const HeadWeights& weights, const WordChoice& word) {
  Json object{{"word", json_text(word.text)}, {"occurrences", word.occurrences}, {"positions", word.tokens}};
  for (const std::size_t token : word.tokens) object["tokens"].push_back(json_text(weights.tokens[token]));
  return object;
}

Json answer_json(const HeadWeights& weights, const HeadAnswer& answer) {
  const std::string pattern = pattern_name(answer.statistics);
  return {{"layer", weights.layers[answer.layer]},
          {"head", answer.head},
          {"forward", json_number(answer.forward)},
          {"backward", json_number(answer.backward)},
          {"entropy", json_number(answer.statistics.entropy)},
          {"pattern", pattern.empty() ? Json(nullptr) : Json(pattern)}};
}

}  // namespace

std::string ask_heads_text(const HeadWeights& weights, const HeadAnswers& answers, std::size_t top) {
  Table call("");
  if (weights.text) call.row({"text", printable(*weights.text)});
  if (weights.pair) call.row({"pair", printable(*weights.pair)});
  call.row({"model", printable(weights.title) + ", " + head_counts(weights) + ", " +
                         plural(static_cast<std::int64_t>(weights.count()), "token")});
  call.row({"from", word_text(weights, answers.from)});
  call.row({"to", word_text(weights, answers.to)});
  call.row({"found", count_text(answers)});
  return call.to_string() + "\n" + answers_table(weights, answers, top).to_string() + "\n" +
         other_way_text(weights, answers) + rule_text(answers);
}

std::string ask_heads_json(const HeadWeights& weights, const HeadAnswers& answers, std::size_t top) {
  Json object{{"model", json_text(weights.title)},
              {"from", word_json(weights, answers.from)},
              {"to", word_json(weights, answers.to)},
              {"uniform_forward", answers.uniform_forward},
              {"uniform_backward", answers.uniform_backward},
              {"nan_heads", answers.nan_heads},
              {"heads", Json::array()},
              {"other_way", Json::array()}};
  for (const std::string& token : weights.tokens) object["tokens"].push_back(json_text(token));
  for (std::size_t i = 0; i < shown(answers, top); ++i) {
    object["heads"].push_back(answer_json(weights, answers.heads[i]));
  }
  for (const HeadAnswer& answer : answers.other_way) object["other_way"].push_back(answer_json(weights, answer));
  return json_line(object);
}

}  // namespace headwise::tools
