#include "machine.hpp"

#include <unistd.h>

#include <fstream>

#include "text.hpp"

namespace headwise::tools {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "model name : …" on x86; Arm kernels give no name there.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::vector<Cache> caches_from_sysfs() {
  std::vector<Cache> caches;
  for (int index = 0;; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto level = parse_whole_number(first_line(folder + "level"));
    if (!level) return caches;
    caches.push_back({static_cast<int>(*level), lower(first_line(folder + "type")), first_line(folder + "size"),
                      first_line(folder + "shared_cpu_list")});
  }
}

void add_sysconf_cache(std::vector<Cache>& caches, int level, const char* type, int name) {
  const long bytes = sysconf(name);
  if (bytes > 0) caches.push_back({level, type, std::to_string(bytes / 1024) + "K", ""});
}

std::vector<Cache> caches_from_sysconf() {
  std::vector<Cache> caches;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  add_sysconf_cache(caches, 1, "data", _SC_LEVEL1_DCACHE_SIZE);
  add_sysconf_cache(caches, 2, "unified", _SC_LEVEL2_CACHE_SIZE);
  add_sysconf_cache(caches, 3, "unified", _SC_LEVEL3_CACHE_SIZE);
#endif
  return caches;
}

}  // namespace

Machine read_machine() {
  Machine machine;
  machine.cpu_name = cpu_name();
  machine.memory_bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  machine.caches = caches_from_sysfs();
  if (machine.caches.empty()) machine.caches = caches_from_sysconf();
  return machine;
}

}  // namespace headwise::tools
