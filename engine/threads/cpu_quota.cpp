#include "cpu_quota.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "mounts.hpp"
#include "small_file.hpp"

namespace headwise::threads {
namespace {

// Microseconds. "max", signs and whatever is no whole number at the start of a word are no number.
std::optional<double> microseconds(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = end == text.data() + text.size() || *end == '\n';
  return error == std::errc() && complete && value > 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

double cpus_of(std::string_view quota, std::string_view period) {
  const auto allowed = microseconds(quota), in = microseconds(period);
  return allowed && in ? *allowed / *in : 0;
}

// "200000 100000" or "max 100000".
CpuQuota read_version2(const std::string& root, const std::string& folder) {
  const std::string file = folder + "/cpu.max", text = read_small_file(root + file);
  const auto blank = text.find(' ');
  if (blank == std::string::npos) return {};
  const std::string_view all = text;
  return {cpus_of(all.substr(0, blank), all.substr(blank + 1)), file};
}

// A file for each of the two numbers; a quota of −1 is none.
CpuQuota read_version1(const std::string& root, const std::string& folder) {
  const std::string file = folder + "/cpu.cfs_quota_us";
  return {cpus_of(read_small_file(root + file), read_small_file(root + folder + "/cpu.cfs_period_us")), file};
}

void keep_smaller(CpuQuota& smallest, CpuQuota&& other) {
  if (other.cpus > 0 && (smallest.cpus == 0 || other.cpus < smallest.cpus)) smallest = std::move(other);
}

// From the group of the process to the mount point: a group gets no more than the groups that it lies in.
CpuQuota smallest_above(const std::string& root, const GroupFolder& group) {
  CpuQuota smallest;
  for (std::string folder = group.folder; folder.size() >= group.mount_point.size();) {
    keep_smaller(smallest, group.version == 2 ? read_version2(root, folder) : read_version1(root, folder));
    const auto slash = folder.rfind('/');
    if (slash == std::string::npos) break;
    folder.resize(slash);
  }
  return smallest;
}

}  // namespace

CpuQuota cpu_quota(const std::string& root) {
  CpuQuota smallest;
  for (const GroupFolder& group : cpu_group_folders(root)) keep_smaller(smallest, smallest_above(root, group));
  return smallest;
}

}  // namespace headwise::threads
