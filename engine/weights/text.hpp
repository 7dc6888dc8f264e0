// Text for error messages, and of files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quotes.hpp"

namespace headwise {

std::string join(const std::vector<std::string>& parts, const char* separator = ", ");
// What keeps this text from being one JSON object, "contains a NUL byte", or nullptr: a NUL, which the parser takes for
// the end, and a byte-order mark, which it skips, could hide content. The parser finds all else.
const char* object_problem(std::string_view json) noexcept;
// The parts between separators; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);
// "[3, 4]"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace headwise
