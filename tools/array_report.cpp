// What `headwise inspect` tells about a .npy file.
#include <nlohmann/json.hpp>

#include "inspect_report.hpp"
#include "standard_streams.hpp"
#include "text.hpp"

namespace headwise::tools {

std::string array_text(const std::string& path, const Tensor& tensor) {
  const Summary summary = summarise(tensor);
  return printable(input_name(path)) + ": " + to_string(summary.shape) + " " + dtype_name(summary.dtype) + "\n" +
         to_text(summary) + "\n" + first_values(summary) + "\n";
}

std::string array_json(const std::string& path, const Tensor& tensor, bool with_values) {
  Json object = {{"file", json_text(path)}};
  object.update(to_json(summarise(tensor)));
  if (with_values) object["values"] = json_values(tensor);
  return json_line(object);
}

}  // namespace headwise::tools
