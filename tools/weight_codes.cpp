#include "weight_codes.hpp"

#include <algorithm>
#include <cmath>

#include "base64.hpp"

namespace headwise::tools {
namespace {

constexpr double powers[] = {1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4};  // 10^(10 − d)
constexpr double starts[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};

int decade_of(double weight) noexcept {
  int decade = 0;
  while (decade < 6 && weight >= starts[decade + 1]) ++decade;
  return decade;
}

std::uint8_t level(float weight) noexcept {
  if (std::isnan(weight)) return 255;
  return static_cast<std::uint8_t>(std::lround(254 * std::sqrt(std::clamp(weight, 0.0F, 1.0F))));
}

}  // namespace

// A float has 24 bits and 5^10 less than 24, so the product is exact, and only its rounding to a whole number rounds.
// A mantissa of 10000 is the first code of the next decade by itself.
std::uint16_t weight_code(float weight) noexcept {
  if (std::isnan(weight)) return 65535;
  const double value = weight;
  if (value >= 1) return 63001;
  const int decade = decade_of(value);
  const double mantissa = std::nearbyint(value * powers[decade]);
  if (mantissa < 1000) return 0;
  return static_cast<std::uint16_t>(1 + 9000 * decade + static_cast<int>(mantissa) - 1000);
}

std::string weight_block(const float* weights, std::size_t count) {
  std::string bytes;
  bytes.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t code = weight_code(weights[i]);
    bytes += static_cast<char>(code & 255);
    bytes += static_cast<char>(code >> 8);
  }
  return base64(bytes);
}

std::size_t thumbnail_size(std::size_t count) noexcept {
  return std::min(count, largest_thumbnail);
}

void add_thumbnail(std::vector<std::uint8_t>& pixels, const float* weights, std::size_t count) {
  const std::size_t size = thumbnail_size(count), first = pixels.size();
  pixels.resize(first + size * size);
  for (std::size_t query = 0; query < count; ++query) {
    for (std::size_t key = 0; key < count; ++key) {
      const float weight = weights[query * count + key];
      std::uint8_t& pixel = pixels[first + query * size / count * size + key * size / count];
      pixel = std::max(pixel, level(weight));
    }
  }
}

}  // namespace headwise::tools
