#include "rotary_table.hpp"

#include <cmath>

#include "view_checks.hpp"

namespace headwise {

RotaryTable::RotaryTable(const RotaryConfig& config, std::int64_t positions)
    : positions_(positions), magnitude_(rotary_magnitude(config)), frequencies_(rotary_frequencies(config)) {
  if (positions < 0) refuse("positions", "is negative: " + std::to_string(positions));
  cos_ = Tensor({positions, half_dim()});
  sin_ = Tensor({positions, half_dim()});
  for (std::int64_t p = 0; half_dim() > 0 && p < positions; ++p) {
    angles(p, cos_.data() + p * half_dim(), sin_.data() + p * half_dim());
  }
}

void RotaryTable::angles(std::int64_t position, float* cos, float* sin) const noexcept {
  for (std::size_t i = 0; i < frequencies_.size(); ++i) {
    const double angle = static_cast<double>(position) * frequencies_[i];
    cos[i] = static_cast<float>(std::cos(angle) * magnitude_);
    sin[i] = static_cast<float>(std::sin(angle) * magnitude_);
  }
}

}  // namespace headwise
