// Rows of cells that the tables of bench are made of; the first row is the heading.
#pragma once

#include <string>
#include <vector>

#include "bench_case.hpp"

namespace headwise::tools {

using Rows = std::vector<std::vector<std::string>>;

// Shapes, and what else tells these cases apart; a heading and a row each.
Rows case_rows(const std::vector<BenchCase>& cases);
// What all of them have in common: "layer, f32, avx512, 2 threads".
std::string common_words(const std::vector<BenchCase>& cases);
// Three or four digits that count, never an exponent.
std::string milliseconds(double seconds);
std::string rows_text(const Rows& rows, bool markdown);

}  // namespace headwise::tools
