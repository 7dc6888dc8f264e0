#include "memory_levels.hpp"

#include <algorithm>

#include "out_of_memory.hpp"

namespace headwise {
namespace limits {
namespace {

constexpr std::int64_t least_in_memory = std::int64_t{64} << 20;

std::int64_t share(const Cache& cache, int threads) {
  return cache.bytes / std::min(threads, cache.cpus);
}

}  // namespace

// Half of a cache, since its other half may hold what belongs to others; at least twice the next nearer one, or that
// would answer. For memory eight times the last cache: even one that keeps lines at random then serves few of the
// reads.
std::vector<MemoryLevel> levels_of(const std::vector<Cache>& caches, int threads) {
  std::vector<MemoryLevel> levels;
  std::int64_t nearer = 0;
  for (const Cache& cache : caches) {
    const std::int64_t bytes = std::max(share(cache, threads) / 2, 2 * nearer);
    levels.push_back({"L" + std::to_string(cache.level), cache.bytes, bytes});
    nearer = cache.bytes;
  }
  const std::int64_t far = caches.empty() ? 0 : 8 * share(caches.back(), threads);
  levels.push_back({"memory", 0, std::max(far, least_in_memory)});
  return levels;
}

}  // namespace limits

std::vector<MemoryLevel> memory_levels(int threads) try {
  if (threads < 1)
    throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(threads) + "; expected at least 1");
  return limits::levels_of(limits::data_caches("/sys/devices/system/cpu/cpu0/cache"), threads);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to list caches");
}

}  // namespace headwise
