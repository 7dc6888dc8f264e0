// Names in messages. Those in files are bytes from a stranger: they are shown quoted, escaped and shortened.
#pragma once

#include <string>
#include <string_view>

namespace headwise {

// 'name', with control characters, quotes and bytes that are no valid UTF-8 as \xNN, cut after some 120 bytes.
std::string in_quotes(std::string_view name);
bool is_utf8(std::string_view text) noexcept;  // well-formed: no overlong forms, no surrogates

}  // namespace headwise
