// Text for error messages. Names in files are bytes from a stranger: they are shown quoted, escaped and shortened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headwise {

// 'name', with control characters, quotes and bytes that are no valid UTF-8 as \xNN, cut after some 120 bytes.
std::string in_quotes(std::string_view name);
bool is_utf8(std::string_view text) noexcept;  // well-formed: no overlong forms, no surrogates
std::string join(const std::vector<std::string>& parts, const char* separator = ", ");
// What keeps this text from being one JSON object, "contains a NUL byte", or nullptr: a NUL, which the parser takes for
// the end, and a byte-order mark, which it skips, could hide content. The parser finds all else.
const char* object_problem(std::string_view json) noexcept;
// The parts between separators; empty ones are left out.
std::vector<std::string> split(std::string_view text, char separator);
// "[3, 4]"
std::string shape_text(const std::vector<std::uint64_t>& shape);

}  // namespace headwise
