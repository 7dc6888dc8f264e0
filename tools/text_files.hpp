// Text files that the command reads and writes beside weights and tensors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headwise::tools {

// The whole of a regular file, or of standard input for "-". Throws CommandError when it cannot be read, holds more
// than `most` bytes or is no text.
std::string read_text_file(const std::string& path, std::size_t most);
// Writes a file that takes the place of an old one when it is whole; "-" is standard output. Throws Error(io).
void write_text_file(const std::string& path, std::string_view text);
// Throws UsageError, naming the option, when something else than a file has that name or its folder is not there.
void check_target(const std::string& option, const std::string& path, const char* kind);

// Also under two names, and before the file is there; "" is none.
bool same_file(const std::string& a, const std::string& b);

}  // namespace headwise::tools
