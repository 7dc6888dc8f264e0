// Option values that are read strictly: the whole text, in range, in any locale. A wrong one ends with exit code 2.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "console.hpp"

namespace headwise::tools {

void add_common_options(CLI::App& app, CommonOptions& options);

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& target, const std::string& help);
// A finite number.
CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<float>& target, const std::string& help);
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::function<void(double)>& set,
                        const std::string& help);
// Whole numbers such as 0,2,5.
CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::int64_t>& target,
                      const std::string& help);

// The numbers of a list such as "3,5,2", blanks beside the commas or not; throws UsageError naming the option.
std::vector<std::int64_t> whole_numbers(const std::string& option, const std::string& text,
                                        const std::string& advice = "");
// A whole number in a range; throws CLI::ValidationError otherwise.
std::int64_t whole_number_between(const std::string& name, const std::string& text, std::int64_t minimum,
                                  std::int64_t maximum);

template <class Integer>
CLI::Option* add_integer(CLI::App& app, const std::string& name, Integer& target, Integer minimum, Integer maximum,
                         const std::string& help) {
  const auto set = [&target, name, minimum, maximum](const std::string& text) {
    target = static_cast<Integer>(whole_number_between(name, text, minimum, maximum));
  };
  return app.add_option_function<std::string>(name, set, help)->option_text("N");
}

// One of a few words, each with its value. The words are the type of the option too, for shell completion.
template <class Value>
using Choices = std::vector<std::pair<std::string, Value>>;

template <class Value>
std::string choice_words(const Choices<Value>& choices) {
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : "|") + choice.first;
  return words;
}

// The value of a word; throws CLI::ValidationError when it is none of them.
template <class Value>
Value chosen(const std::string& name, const std::string& text, const Choices<Value>& choices) {
  for (const auto& [word, value] : choices) {
    if (word == text) return value;
  }
  throw CLI::ValidationError(name, "must be one of " + choice_words(choices) + ", not '" + text + "'");
}

template <class Value, class Set>
CLI::Option* add_choice_function(CLI::App& app, const std::string& name, Set set, const Choices<Value>& choices,
                                 const std::string& help) {
  const auto parse = [set, choices, name](const std::string& text) { return set(chosen(name, text, choices)); };
  const std::string words = choice_words(choices);
  return app.add_option_function<std::string>(name, parse, help)->type_name(words)->option_text(words);
}

template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& target, const Choices<Value>& choices,
                        const std::string& help) {
  const auto set = [&target](const Value& value) { target = value; };
  return add_choice_function<Value>(app, name, set, choices, help);
}

// The words of a list such as "1x16,8x128", blanks beside the commas or not.
std::vector<std::string> split_list(const std::string& text);

// Some of a few words, such as plain,causal; each once however often it is named.
template <class Value>
CLI::Option* add_choices(CLI::App& app, const std::string& name, std::vector<Value>& target,
                         const Choices<Value>& choices, const std::string& help) {
  const auto set = [&target, choices, name](const std::string& text) {
    target.clear();
    for (const std::string& word : split_list(text)) {
      const Value value = chosen(name, word, choices);
      if (std::find(target.begin(), target.end(), value) == target.end()) target.push_back(value);
    }
  };
  return app.add_option_function<std::string>(name, set, help)->type_name(choice_words(choices))->option_text("LIST");
}

}  // namespace headwise::tools
