// modules.json and the pooling it names.
#pragma once

#include <string>

#include "headwise/sentence.hpp"

namespace headwise {

// Pooling and normalisation of a folder with modules.json; nothing changes where there is none.
void read_modules(const std::string& folder, SentenceSettings& to);

}  // namespace headwise
