// The roofline plot of a profile as SVG.
#pragma once

#include <string>

#include "profile_report.hpp"

namespace headwise::tools {

// Text that stands for itself in HTML and SVG, in attributes too.
std::string escape_html(std::string_view text);

// FLOP/s over FLOP/byte, both logarithmic; the colours are classes that the page defines. A point for each row that
// computes and moves memory.
std::string roofline_svg(const ProfileResult& result);

}  // namespace headwise::tools
