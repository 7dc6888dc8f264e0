#include "option_types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "text.hpp"

namespace headwise::tools {
namespace {

std::string range_text(std::int64_t minimum, std::int64_t maximum) {
  const bool open = maximum == std::numeric_limits<std::int64_t>::max();
  const std::string lowest = std::to_string(minimum);
  return open ? "of " + lowest + " or more" : "from " + lowest + " to " + std::to_string(maximum);
}

template <class Number>
Number finite(const std::string& name, const std::string& text, std::optional<Number> value) {
  if (value && std::isfinite(*value)) return *value;
  throw CLI::ValidationError(name, "must be a finite number such as 0.125, not '" + text + "'");
}

std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::int64_t whole_number_between(const std::string& name, const std::string& text, std::int64_t minimum,
                                  std::int64_t maximum) {
  const auto value = parse_whole_number(text);
  if (value && *value >= minimum && *value <= maximum) return *value;
  throw CLI::ValidationError(name, "must be a whole number " + range_text(minimum, maximum) + ", not '" + text + "'");
}

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "Print one JSON object on stdout");
  app.add_flag("--quiet", options.quiet, "Nothing on stderr unless something fails");
}

CLI::Option* add_path(CLI::App& app, const std::string& name, std::string& target, const std::string& help) {
  const auto set = [&target, name](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError(name, "must not be empty");
    target = text;
  };
  return app.add_option_function<std::string>(name, set, help)->option_text("FILE");
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::optional<float>& target, const std::string& help) {
  const auto set = [&target, name](const std::string& text) { target = finite(name, text, parse_float(text)); };
  return app.add_option_function<std::string>(name, set, help)->option_text("X");
}

CLI::Option* add_number(CLI::App& app, const std::string& name, const std::function<void(double)>& set,
                        const std::string& help) {
  const auto parse = [set, name](const std::string& text) { set(finite(name, text, parse_double(text))); };
  return app.add_option_function<std::string>(name, parse, help)->option_text("X");
}

CLI::Option* add_list(CLI::App& app, const std::string& name, std::vector<std::int64_t>& target,
                      const std::string& help) {
  const auto set = [&target, name](const std::string& text) { target = whole_numbers(name, text); };
  return app.add_option_function<std::string>(name, set, help)->option_text("LIST");
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(without_blanks(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

std::vector<std::int64_t> whole_numbers(const std::string& option, const std::string& text, const std::string& advice) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : split_list(text)) {
    const auto value = parse_whole_number(word);
    if (!value) {
      throw UsageError(option + ": '" + word + "' in '" + text +
                       "' is no whole number of 0 or more; give numbers such as 3,5,2" + advice);
    }
    numbers.push_back(*value);
  }
  return numbers;
}

}  // namespace headwise::tools
