#include "caches.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace headwise::limits {
namespace {

constexpr std::int64_t kib = 1024;
constexpr int most_indices = 16;  // sysfs has four or five

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::vector<Cache> from_sysfs(const std::string& folder) {
  std::vector<Cache> caches;
  for (int index = 0; index < most_indices; ++index) {
    const std::string at = folder + "/index" + std::to_string(index) + "/";
    const int level = static_cast<int>(parse_size(first_line(at + "level")));
    const std::int64_t bytes = parse_size(first_line(at + "size"));
    if (level < 1 || bytes < 1 || first_line(at + "type") == "Instruction") continue;
    caches.push_back({level, bytes, count_cpus(first_line(at + "shared_cpu_list"))});
  }
  std::stable_sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) { return a.level < b.level; });
  return caches;
}

std::vector<Cache> from_sysconf() {
  std::vector<Cache> caches;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  int level = 1;
  for (const int name : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE}) {
    const long bytes = sysconf(name);
    if (bytes > 0) caches.push_back({level, bytes, 1});
    ++level;
  }
#endif
  return caches;
}

}  // namespace

std::int64_t parse_size(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0 || number > (std::int64_t{1} << 40)) return 0;
  const std::string unit(at, end);
  if (unit.empty()) return number;
  return unit == "K" ? number * kib : unit == "M" ? number * kib * kib : 0;
}

int count_cpus(const std::string& list) {
  int count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t dash = range.find('-');
    const std::int64_t first = parse_size(range.substr(0, dash));
    const std::int64_t last = dash == std::string::npos ? first : parse_size(range.substr(dash + 1));
    count += static_cast<int>(std::clamp<std::int64_t>(last - first + 1, 0, 1 << 16));
  }
  return std::max(count, 1);
}

std::vector<Cache> data_caches(const std::string& folder) {
  std::vector<Cache> caches = from_sysfs(folder);
  if (caches.empty()) caches = from_sysconf();
  if (caches.empty()) caches = {{1, 32 * kib, 1}, {2, 1024 * kib, 1}, {3, 16 * 1024 * kib, 1}};
  return caches;
}

}  // namespace headwise::limits
