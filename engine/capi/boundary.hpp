// No exception passes this line: a body that throws becomes a status and the message of its thread.
#pragma once

#include <cstddef>

#include "headwise/c/status.h"

namespace headwise::capi {

// Longest message with its terminating zero. Longer ones are cut.
inline constexpr std::size_t message_room = 4096;

void clear_message() noexcept;
// The status of the exception that is being handled; its words become the message of this thread.
headwise_status report_exception() noexcept;

template <class Body>
headwise_status guard(const Body& body) noexcept {
  clear_message();
  try {
    body();
    return HEADWISE_OK;
  } catch (...) {
    return report_exception();
  }
}

}  // namespace headwise::capi
