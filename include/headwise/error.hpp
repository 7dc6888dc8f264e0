// Errors of headwise: every public function reports failure by throwing headwise::Error and leaves its arguments
// untouched.
#pragma once

#if !defined(__cpp_concepts)
#error "headwise's C++ headers need C++20 (-std=c++20, cxx_std_20 in CMake); headwise.h does with C11 or any C++"
#endif

#include <stdexcept>
#include <string>

#include "headwise/api.h"

namespace headwise {

enum class ErrorCode {
  invalid_argument,  // a shape, type or option of the caller does not fit; the message names expected and actual
  unsupported,       // a combination that headwise does not offer, or an ISA that this CPU lacks
  bad_file,          // a file exists but its content breaks the rules of its format
  io,                // a file cannot be opened, read or written
  out_of_memory,
  internal,   // a failure inside oneDNN or headwise itself
  cancelled,  // the call's flag was set, see AttentionInputs::cancel
  busy,       // the session is at work for another thread
};

// The standard spelling of a code, for example "bad_file". Thread-safe.
HEADWISE_API const char* error_code_name(ErrorCode code) noexcept;

class HEADWISE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace headwise
