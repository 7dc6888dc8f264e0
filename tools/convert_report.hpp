// What convert tells of a file that it has written.
#pragma once

#include <string>

#include "convert_job.hpp"

namespace headwise::tools {

std::string convert_text(const Conversion& conversion, const ConvertOptions& options);
std::string convert_json(const Conversion& conversion, const ConvertOptions& options);

}  // namespace headwise::tools
