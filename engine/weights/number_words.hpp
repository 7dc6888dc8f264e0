// Names of numbers in the words of the files that hold them.
#pragma once

#include <string>

namespace headwise {

// "rotary.base is 0.5" as "rope_theta is 0.5".
std::string in_config_words(std::string message);
// "rotary.base is 0.5" as "rotary_base is 0.5".
std::string in_settings_words(std::string message);

}  // namespace headwise
