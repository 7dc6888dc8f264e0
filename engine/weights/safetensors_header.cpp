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
  if (const char* problem = object_problem(json)) refuse(path, std::string("the header ") + problem);
  SafetensorsHeader header;
  HeaderEvents events(header);
  const bool good = nlohmann::json::sax_parse(json.begin(), json.end(), &events);
  if (!good) refuse(path, events.problem());
  return header;
}

}  // namespace headwise
