#include "statistics.hpp"

#include <algorithm>

namespace headwise::tools {

double sorted_percentile(const std::vector<double>& samples, double share) {
  const double place = share * static_cast<double>(samples.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, samples.size() - 1);
  return samples[low] + (place - static_cast<double>(low)) * (samples[high] - samples[low]);
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return sorted_percentile(samples, 0.5);
}

double robust_spread(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return (sorted_percentile(samples, 0.9) - sorted_percentile(samples, 0.1)) / 2.5631;
}

}  // namespace headwise::tools
