// Row counts are cut into a fixed set of classes, so that a length that was never seen before needs no new primitive.
// Measured with oneDNN 2.6.3 (f32, packed): GF/s are flat from 8 rows up and the packed format is the same for all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace headwise::projection {

inline constexpr std::array<std::int64_t, 19> row_classes = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                             11, 12, 13, 14, 15, 16, 32, 64, 128};

// Index of the class to run next when `rows` are left: the largest that fits and leaves nothing or at least 8 rows,
// since fewer than 8 rows cost nearly as much as 8.
constexpr std::size_t next_row_class(std::int64_t rows) {
  for (std::size_t c = row_classes.size(); c-- > 15;) {
    const std::int64_t rest = rows - row_classes[c];
    if (rest == 0 || rest >= 8) return c;
  }
  return static_cast<std::size_t>(rows < 16 ? rows : 8) - 1;
}

}  // namespace headwise::projection
