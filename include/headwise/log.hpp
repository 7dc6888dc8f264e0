// What headwise has to say that is no error. The library never prints; without a handler messages are not even made.
#pragma once

#include <functional>
#include <string>

#include "headwise/api.h"

namespace headwise {

enum class LogLevel {
  info,     // what was chosen: the instruction set of a model
  warning,  // it works, but not as asked: fewer threads than planned
};

// Called on the thread whose call has something to say, by several at once: it should be quick. What it throws is
// dropped, and so is what headwise has to say to calls made inside of it.
using LogHandler = std::function<void(LogLevel level, const std::string& message)>;

// Sets the handler of the process; an empty one ends it. When this returns, the handler before is not running and will
// not be called again, so what it refers to may go. Thread-safe. Throws Error(busy) when called from inside a handler,
// which would wait for itself.
HEADWISE_API void set_log_handler(LogHandler handler);

// "info" or "warning". Thread-safe.
HEADWISE_API const char* log_level_name(LogLevel level) noexcept;

}  // namespace headwise
