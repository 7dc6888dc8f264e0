#include "warnings.hpp"

#include <headwise/headwise.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "console.hpp"
#include "option_words.hpp"

namespace headwise::tools {
namespace {

// Called by several threads at once. A call that is repeated, or one of many sessions, says the same again.
struct Printer {
  std::mutex mutex;
  std::set<std::string> said;

  void print(const std::string& message) {
    const std::lock_guard lock(mutex);
    if (said.insert(message).second) write_error("warning: " + in_option_words(message));
  }
};

}  // namespace

Warnings::Warnings() {
  set_log_handler([printer = std::make_shared<Printer>()](LogLevel level, const std::string& message) {
    if (level == LogLevel::warning) printer->print(message);
  });
}

Warnings::~Warnings() {
  set_log_handler({});
}

}  // namespace headwise::tools
