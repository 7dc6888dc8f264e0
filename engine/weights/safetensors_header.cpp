#include "safetensors_header.hpp"

#include "header_events.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw Error(ErrorCode::bad_file, in_quotes(path) + ": " + problem);
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& path) {
  // The parser would skip a byte-order mark and take a NUL for the end of the text; both can hide content.
  if (json.find('\0') != std::string_view::npos) refuse(path, "the header contains a NUL byte");
  const std::size_t start = json.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) refuse(path, "the header is empty");
  if (json[start] != '{') refuse(path, "the header does not begin with {");
  SafetensorsHeader header;
  HeaderEvents events(header);
  const bool good = nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  if (!good) refuse(path, events.problem());
  return header;
}

}  // namespace headwise
