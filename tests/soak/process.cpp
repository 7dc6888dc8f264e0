#include "process.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

Sample sample_process(double seconds) {
  std::int64_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  Sample sample{seconds, resident * sysconf(_SC_PAGESIZE), 0};
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "Threads:") status >> sample.threads;
  }
  return sample;
}

double median_resident(const std::vector<Sample>& samples, double begin, double end) {
  std::vector<double> bytes;
  for (const Sample& sample : samples) {
    if (sample.seconds >= begin && sample.seconds <= end) bytes.push_back(double(sample.resident_bytes));
  }
  if (bytes.empty()) return 0;
  std::nth_element(bytes.begin(), bytes.begin() + std::ptrdiff_t(bytes.size() / 2), bytes.end());
  return bytes[bytes.size() / 2];
}
