// Norms and rotary embedding in double.
#include <cmath>

#include "double_layer.hpp"

namespace headwise::tools {
namespace {

void normalise(HeadRows& rows, std::size_t at, const Tensor& norm, double epsilon) {
  const auto size = static_cast<std::size_t>(rows.size);
  double squares = 0;
  for (std::size_t c = 0; c < size; ++c) squares += rows.value[at + c] * rows.value[at + c];
  const double root = std::sqrt(squares / static_cast<double>(size) + epsilon);
  for (std::size_t c = 0; c < size; ++c) {
    const double factor = static_cast<double>(norm.data()[c]) / root;
    rows.value[at + c] *= factor;
    rows.mass[at + c] *= std::fabs(factor);
  }
}

struct Rotation {
  std::vector<double> frequencies;
  double magnitude = 1;
  bool interleaved = false;

  explicit Rotation(const RotaryConfig& config)
      : frequencies(rotary_frequencies(config)),
        magnitude(rotary_magnitude(config)),
        interleaved(config.layout == RotaryLayout::interleaved) {}

  void turn(HeadRows& rows, std::size_t at, std::int64_t position) const {
    const std::size_t pairs = frequencies.size();
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * frequencies[i];
      turn_pair(rows, at + (interleaved ? 2 * i : i), at + (interleaved ? 2 * i + 1 : i + pairs), angle);
    }
  }

  void turn_pair(HeadRows& rows, std::size_t x, std::size_t y, double angle) const {
    const double c = std::cos(angle) * magnitude, s = std::sin(angle) * magnitude;
    const double a = rows.value[x], b = rows.value[y], mass_a = rows.mass[x], mass_b = rows.mass[y];
    rows.value[x] = a * c - b * s;
    rows.value[y] = b * c + a * s;
    rows.mass[x] = mass_a * std::fabs(c) + mass_b * std::fabs(s);
    rows.mass[y] = mass_b * std::fabs(c) + mass_a * std::fabs(s);
  }
};

}  // namespace

void position_rows(HeadRows& rows, const Tensor& norm, const AttentionConfig& config,
                   const std::vector<std::int64_t>& positions) {
  const bool turns = config.rotary.dim > 0;
  const Rotation rotation(config.rotary);
  for (std::int64_t row = 0; row < rows.batch * rows.heads * rows.length; ++row) {
    const std::int64_t b = row / rows.length / rows.heads, i = row % rows.length;
    const auto at = static_cast<std::size_t>(row * rows.size);
    if (norm.given()) normalise(rows, at, norm, static_cast<double>(config.norm_epsilon));
    if (turns) rotation.turn(rows, at, positions[static_cast<std::size_t>(b * rows.length + i)]);
  }
}

}  // namespace headwise::tools
