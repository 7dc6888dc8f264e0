// The page that shows every head of a text: one file that needs nothing else, no network, no other file.
#pragma once

#include <string>

#include "console.hpp"
#include "head_weights.hpp"

namespace headwise::tools {

// Throws CommandError when there are more weights than a browser can hold.
void check_page_size(const HeadWeights& weights);
// A note where browsers need patience.
void note_large_page(std::size_t bytes, const Console& console);
std::string view_page(const HeadWeights& weights);

}  // namespace headwise::tools
