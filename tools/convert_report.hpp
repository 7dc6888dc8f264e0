// What convert tells of a file that it has written.
#pragma once

#include <string>

#include "convert_job.hpp"

namespace headwise::tools {

// What must be given to load a layer from a file that keeps no settings.
std::string load_arguments(const ConvertedLayer& layer);
std::string convert_text(const Conversion& conversion, const ConvertOptions& options);
std::string convert_json(const Conversion& conversion, const ConvertOptions& options);

}  // namespace headwise::tools
