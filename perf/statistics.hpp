// Order statistics of repeated measurements.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

// The value below which the share `part` of all lies.
inline double percentile(std::vector<double> values, double part) {
  const auto at = static_cast<std::ptrdiff_t>(std::ceil(part * double(values.size()))) - 1;
  const auto place = values.begin() + std::clamp<std::ptrdiff_t>(at, 0, std::ptrdiff_t(values.size()) - 1);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

inline double median(const std::vector<double>& values) {
  return percentile(values, 0.5);
}
