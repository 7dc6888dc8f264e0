// How the rooms speak to the caller's log handler.
#pragma once

#include <string>

#include "headwise/log.hpp"

namespace headwise {

// One relaxed load.
bool has_log_handler() noexcept;
// Hands a message to the handler of the process, if it still has one.
void send_to_log(LogLevel level, const std::string& message) noexcept;

// The message is made only when somebody listens; without the memory to make it, nothing is said.
template <class MakeMessage>
void log(LogLevel level, const MakeMessage& make_message) noexcept {
  if (!has_log_handler()) return;
  try {
    send_to_log(level, make_message());
  } catch (...) {
  }
}

}  // namespace headwise
