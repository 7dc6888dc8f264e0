// What the page knows beside the weights themselves.
#pragma once

#include <string>

#include "head_weights.hpp"

namespace headwise::tools {

// One JSON object of ASCII without "<", so that it can stand in a script element whatever the texts hold.
std::string view_data(const HeadWeights& weights);

}  // namespace headwise::tools
