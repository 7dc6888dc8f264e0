// The library speaks of its API; a user of the command knows options.
#pragma once

#include <string>

namespace headwise::tools {

// "key_lengths" as an option has it: "key-lengths".
std::string option_words(std::string name);

// What a message of the library calls by the names of its API, by the names of options.
std::string in_option_words(const std::string& message);

}  // namespace headwise::tools
