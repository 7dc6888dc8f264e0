// Cosines and sines of a rotary embedding, computed in double and rounded once to f32.
#pragma once

#include <cstdint>
#include <vector>

#include "headwise/positions.hpp"

namespace headwise {

// Immutable after construction, so that threads may share it.
class RotaryTable {
 public:
  RotaryTable() = default;  // dim 0, no positions
  // Positions 0 … positions − 1. Throws Error(invalid_argument or out_of_memory).
  RotaryTable(const RotaryConfig& config, std::int64_t positions);

  std::int64_t positions() const noexcept { return positions_; }
  std::int64_t half_dim() const noexcept { return static_cast<std::int64_t>(frequencies_.size()); }
  // [positions][half_dim], scaled by rotary_magnitude; nullptr without positions.
  const float* cos(std::int64_t position = 0) const noexcept { return row(cos_, position); }
  const float* sin(std::int64_t position = 0) const noexcept { return row(sin_, position); }

  // half_dim cosines and sines of any position, negative and huge ones too; the same bits as the table.
  void angles(std::int64_t position, float* cos, float* sin) const noexcept;

 private:
  const float* row(const Tensor& table, std::int64_t position) const noexcept {
    const auto* data = static_cast<const float*>(table.view().data);
    return data == nullptr ? nullptr : data + position * half_dim();
  }

  std::int64_t positions_ = 0;
  double magnitude_ = 1;
  std::vector<double> frequencies_;
  Tensor cos_, sin_;
};

}  // namespace headwise
