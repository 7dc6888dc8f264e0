// The page that shows every head of a text: one file that needs nothing else, no network, no other file.
#pragma once

#include <string>

#include "head_weights.hpp"

namespace headwise::tools {

// Throws CommandError when there are more weights than a browser can hold.
void check_page_size(const HeadWeights& weights);
std::string view_page(const HeadWeights& weights);

}  // namespace headwise::tools
