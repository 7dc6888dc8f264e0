#include <bit>
#include <cmath>
#include <string>

#include "headwise/positions.hpp"
#include "out_of_memory.hpp"
#include "position_checks.hpp"
#include "view_checks.hpp"

namespace headwise {
namespace {

// Term 1, 2, … of the geometric sequence of `count` terms that ends at 2^−max.
float slope(std::uint64_t term, std::uint64_t count, double max) {
  return static_cast<float>(std::exp2(-max * static_cast<double>(term) / static_cast<double>(count)));
}

// The sequence of the power of two below, then terms 1, 3, 5, … of its double, which lie between them. The rule of MPT
// (terms 2, 4, 6, … of the power above, then 1, 3, 5, …) is the same: term 2k of the double is term k of the power.
float interleaved_slope(std::uint64_t head, std::uint64_t heads, double max) {
  const std::uint64_t power = std::bit_floor(heads);
  return head < power ? slope(head + 1, power, max) : slope(2 * (head - power) + 1, 2 * power, max);
}

}  // namespace

std::vector<float> alibi_slopes(std::int64_t num_heads, AlibiSlopes scheme, double max) try {
  check_position_bias({.kind = PositionBias::alibi, .slopes = scheme, .alibi_max = max});
  if (num_heads < 1 || num_heads > max_alibi_heads) {
    refuse("num_heads", "is " + std::to_string(num_heads) + "; expected 1 to " + std::to_string(max_alibi_heads));
  }
  const auto heads = static_cast<std::uint64_t>(num_heads);
  std::vector<float> slopes(heads);
  const bool geometric = scheme == AlibiSlopes::geometric;
  for (std::uint64_t head = 0; head < heads; ++head) {
    slopes[head] = geometric ? slope(head + 1, heads, max) : interleaved_slope(head, heads, max);
  }
  return slopes;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory for slopes");
}

}  // namespace headwise
