// Attention weights as the page stores them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headwise::tools {

// A weight rounded to four significant digits, ties to even, as printf("%.3e") rounds: 1 + 9000·d + m − 1000 for
// m·10^(d − 10), m from 1000 to 9999 and d from 0 (1e-7 and more) to 6 (0.1 and more); 63001 for 1 and more, 0 below
// 1e-7, 65535 for NaN. What the page shows is therefore what the weight itself would show, in half of its bytes.
std::uint16_t weight_code(float weight) noexcept;

std::string weight_block(const float* weights, std::size_t count);  // base64 of the codes, little endian

// A picture of [count, count] weights with at most `largest_thumbnail` pixels a side: the largest weight of each pixel,
// its square root in 0 … 254, and 255 where one is NaN.
inline constexpr std::size_t largest_thumbnail = 64;
std::size_t thumbnail_size(std::size_t count) noexcept;
void add_thumbnail(std::vector<std::uint8_t>& pixels, const float* weights, std::size_t count);

}  // namespace headwise::tools
