// Bytes as text that can stand in a page.
#pragma once

#include <string>
#include <string_view>

namespace headwise::tools {

std::string base64(std::string_view bytes);  // RFC 4648, padded
std::string bytes_of_hex(std::string_view hex);

template <class Value>
std::string base64_of(const Value* values, std::size_t count) {
  return base64({reinterpret_cast<const char*>(values), count * sizeof(Value)});
}

}  // namespace headwise::tools
