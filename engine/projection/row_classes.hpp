// Row counts are cut into a fixed set of classes, so that a length that was never seen before needs no new primitive.
//
// oneDNN's packed AVX-512 kernel gives a row the same bits in every class; its speed is flat from 8 rows up and its
// format is the same for all (measured with 2.6.3, f32). The kernel it falls back to without AVX-512 does not: a row's
// bits change with the tail of the row count. There only counts that were seen to agree are run, and the last few rows
// are padded to one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace headwise::projection {

inline constexpr std::array<std::int64_t, 19> exact_classes = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                               11, 12, 13, 14, 15, 16, 32, 64, 128};
inline constexpr std::array<std::int64_t, 2> padded_classes = {16, 128};
inline constexpr std::int64_t largest_class = 128;

// Index of the class to run next when `rows` are left: the largest that fits and leaves nothing or at least 8 rows,
// since fewer than 8 rows cost nearly as much as 8. Where none fits, the smallest, to be padded.
constexpr std::size_t next_row_class(std::span<const std::int64_t> classes, std::int64_t rows) {
  const bool padded = classes.front() > 1;
  for (std::size_t c = classes.size(); c-- > 0;) {
    const std::int64_t rest = rows - classes[c];
    if (rest == 0 || rest >= 8 || (padded && rest > 0)) return c;
  }
  return padded ? 0 : static_cast<std::size_t>(rows < 16 ? rows : 8) - 1;
}

}  // namespace headwise::projection
