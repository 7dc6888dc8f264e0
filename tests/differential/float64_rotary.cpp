#include <cmath>

#include "elements.hpp"
#include "float64_heads.hpp"
#include "float64_positions.hpp"

namespace differential {

using namespace headwise;

namespace {

struct Angle {
  double cos, sin, error;
};

class Angles {
 public:
  Angles(const RotaryConfig& config, const AttentionInputs& inputs, const Precision& precision)
      : inputs_(inputs), eps_(precision.eps), turns_(turns(config)), magnitude_(magnitude(config)) {}
  Angle at(std::int64_t position, std::int64_t pair) const {
    if (inputs_.rotary_cos.given) {
      return {number_at(inputs_.rotary_cos, {position, pair}), number_at(inputs_.rotary_sin, {position, pair}), 0};
    }
    const double angle = double(position) * turns_[std::size_t(pair)];
    const double error = eps_ + 8 * 0x1p-52 * (1 + std::fabs(angle));  // angles are float64 in every precision
    return {magnitude_ * std::cos(angle), magnitude_ * std::sin(angle), magnitude_ * error};
  }

 private:
  const AttentionInputs& inputs_;
  double eps_;
  std::vector<double> turns_;
  double magnitude_;
};

// x·c + y·s
Number turned(const Number& x, double c, const Number& y, double s, double angle_error, const Precision& p) {
  const double rounding = 2 * p.eps * (std::fabs(x.value * c) + std::fabs(y.value * s));
  const double angle = angle_error * (std::fabs(x.value) + std::fabs(y.value));
  return {x.value * c + y.value * s, std::fabs(c) * x.error + std::fabs(s) * y.error + angle + rounding};
}

void rotate_row(Number* row, const RotaryConfig& c, const Angles& angles, std::int64_t position, const Precision& p) {
  const bool interleaved = c.layout == RotaryLayout::interleaved;
  for (std::int64_t i = 0; i < c.dim / 2; ++i) {
    Number& first = row[interleaved ? 2 * i : i];
    Number& second = row[interleaved ? 2 * i + 1 : i + c.dim / 2];
    const Angle a = angles.at(position, i);
    const Number x = first, y = second;
    first = turned(x, a.cos, y, -a.sin, a.error, p);
    second = turned(y, a.cos, x, a.sin, a.error, p);
  }
}

}  // namespace

void rotate(Numbers& heads, const RotaryConfig& config, const AttentionInputs& inputs, const Positions& positions,
            const Precision& precision) {
  if (config.dim == 0) return;
  const Angles angles(config, inputs, precision);
  for (std::int64_t b = 0; b < heads.size(0); ++b)
    for (std::int64_t i = 0; i < heads.size(2); ++i) {
      const std::int64_t position = positions(b, i);
      for (std::int64_t h = 0; h < heads.size(1) && position != no_position; ++h) {
        rotate_row(heads.row(b, h, i), config, angles, position, precision);
      }
    }
}

}  // namespace differential
