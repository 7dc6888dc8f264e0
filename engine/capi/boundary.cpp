#include "boundary.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "headwise/error.hpp"

namespace headwise::capi {
namespace {

// Plain bytes: nothing has to be freed when a thread or the library goes, and reporting needs no memory.
constinit thread_local char message[message_room] = "";

bool continues_a_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

void set_message(const char* text) noexcept {
  std::size_t length = std::min(std::strlen(text), message_room - 1);
  if (text[length] != '\0') {
    while (length > 0 && continues_a_character(text[length])) --length;
  }
  std::memcpy(message, text, length);
  message[length] = '\0';
}

headwise_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument:
      return HEADWISE_INVALID_ARGUMENT;
    case ErrorCode::unsupported:
      return HEADWISE_UNSUPPORTED;
    case ErrorCode::bad_file:
      return HEADWISE_BAD_FILE;
    case ErrorCode::io:
      return HEADWISE_IO;
    case ErrorCode::out_of_memory:
      return HEADWISE_OUT_OF_MEMORY;
    case ErrorCode::cancelled:
      return HEADWISE_CANCELLED;
    case ErrorCode::busy:
      return HEADWISE_BUSY;
    case ErrorCode::internal:
      break;
  }
  return HEADWISE_INTERNAL;
}

headwise_status report(headwise_status status, const char* text) noexcept {
  set_message(text);
  return status;
}

}  // namespace

void clear_message() noexcept {
  message[0] = '\0';
}

headwise_status report_exception() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return report(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return report(HEADWISE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return report(HEADWISE_INTERNAL, error.what());
  } catch (...) {
    return report(HEADWISE_INTERNAL, "an exception without words");
  }
}

}  // namespace headwise::capi

const char* headwise_last_error() {
  return headwise::capi::message;
}

const char* headwise_status_name(headwise_status status) {
  using headwise::ErrorCode;
  constexpr ErrorCode codes[] = {
      ErrorCode::invalid_argument, ErrorCode::unsupported, ErrorCode::bad_file,  ErrorCode::io,
      ErrorCode::out_of_memory,    ErrorCode::internal,    ErrorCode::cancelled, ErrorCode::busy};
  if (status == HEADWISE_OK) return "ok";
  if (status < HEADWISE_INVALID_ARGUMENT || status > HEADWISE_BUSY) return "unknown";
  return headwise::error_code_name(codes[status - HEADWISE_INVALID_ARGUMENT]);
}
