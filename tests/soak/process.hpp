// What this process holds, as the system counts it.
#pragma once

#include <cstdint>
#include <vector>

struct Sample {
  double seconds;  // since the start
  std::int64_t resident_bytes;
  int threads;
};

Sample sample_process(double seconds);

// Of the samples from `begin` to `end`.
double median_resident(const std::vector<Sample>& samples, double begin, double end);
