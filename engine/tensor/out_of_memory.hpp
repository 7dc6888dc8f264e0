// Memory that runs out, as an Error. Every public function that allocates ends with
//   } catch (const std::bad_alloc&) {
//     throw_out_of_memory("no memory to …");
//   }
// which also catches what fails while a message of another Error is put together.
#pragma once

#include <concepts>
#include <new>
#include <optional>

#include "headwise/error.hpp"

namespace headwise {

// Throws Error(out_of_memory) with what message() gives, or with less where there is no memory for the message either.
template <class Message>
requires std::invocable<const Message&>
[[noreturn]] void throw_out_of_memory(const Message& message);
[[noreturn]] void throw_out_of_memory(const char* message);

namespace detail {
// Was made when the library was loaded; copying it allocates nothing.
extern const Error bare_out_of_memory;
}  // namespace detail

template <class Message>
requires std::invocable<const Message&>
[[noreturn]] void throw_out_of_memory(const Message& message) {
  std::optional<Error> error;
  try {
    error.emplace(ErrorCode::out_of_memory, message());
  } catch (const std::bad_alloc&) {
    throw detail::bare_out_of_memory;
  }
  throw *error;
}

}  // namespace headwise
