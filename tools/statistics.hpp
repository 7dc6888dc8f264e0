// Figures of samples that hold for any distribution: times are skewed and have outliers.
#pragma once

#include <vector>

namespace headwise::tools {

// The value below which a share (0 to 1) of the samples lies, interpolated between neighbours. The samples must be in
// rising order, and at least one.
double sorted_percentile(const std::vector<double>& samples, double share);
double median(std::vector<double> samples);
// The distance between the 10th and the 90th percentile over 2.5631: the standard deviation if the samples were normal.
// Few outliers count little, and two clusters still show, which the median distance from the median misses.
double robust_spread(std::vector<double> samples);

}  // namespace headwise::tools
