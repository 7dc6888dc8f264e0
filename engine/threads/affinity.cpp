#include "affinity.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace headwise::threads {

int affinity_cpus(GetAffinity get) {
  constexpr std::size_t most_cpus = 1 << 17;  // 16 times what Linux can be built for
  for (std::size_t cpus = CPU_SETSIZE; cpus <= most_cpus; cpus *= 2) {
    std::vector<cpu_set_t> set(cpus / CPU_SETSIZE);
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (get(0, bytes, set.data()) == 0) return std::max(CPU_COUNT_S(bytes, set.data()), 1);
    if (errno != EINVAL) break;
  }
  return online_cpus();
}

int online_cpus() noexcept {
  return static_cast<int>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

}  // namespace headwise::threads
