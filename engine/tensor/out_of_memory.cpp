#include "out_of_memory.hpp"

#include <string>

namespace headwise {

const Error detail::bare_out_of_memory(ErrorCode::out_of_memory, "out of memory");

void throw_out_of_memory(const char* message) {
  throw_out_of_memory([message] { return std::string(message); });
}

}  // namespace headwise
