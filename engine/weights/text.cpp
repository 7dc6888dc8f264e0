#include "text.hpp"

#include <algorithm>

namespace headwise {
std::string join(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (&part == parts.data() ? "" : separator) + part;
  return text;
}

const char* object_problem(std::string_view json) noexcept {
  if (json.find('\0') != std::string_view::npos) return "contains a NUL byte";
  const std::size_t start = json.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "is empty";
  return json[start] == '{' ? nullptr : "does not begin with {";
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  constexpr std::size_t most = 16;
  std::vector<std::string> sizes;
  for (const std::uint64_t size : shape) {
    if (sizes.size() == most) {
      sizes.push_back("…");
      break;
    }
    sizes.push_back(std::to_string(size));
  }
  return "[" + join(sizes) + "]";
}

}  // namespace headwise
