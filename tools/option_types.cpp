#include "option_types.hpp"

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
  const auto set = [&target, name](const std::string& text) {
    const auto value = parse_float(text);
    if (!value || !std::isfinite(*value)) {
      throw CLI::ValidationError(name, "must be a finite number such as 0.125, not '" + text + "'");
    }
    target = *value;
  };
  return app.add_option_function<std::string>(name, set, help)->option_text("X");
}

}  // namespace headwise::tools
