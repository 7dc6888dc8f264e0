#include "headwise/limits.hpp"

#include "boundary.hpp"
#include "headwise/c/system.h"
#include "structs.hpp"

using namespace headwise::capi;

namespace {

headwise::LimitOptions read_limit_options(const headwise_limit_options* options) {
  const auto c = read_options(options);
  headwise::LimitOptions result;
  result.isa = read_optional_text(c.isa);
  result.threads = or_default<int>(c.threads, result.threads);
  result.seconds = or_default(c.seconds, result.seconds);
  return result;
}

}  // namespace

headwise_status headwise_measure_fma_peak(const headwise_limit_options* options, double* flops) {
  return guard([&] {
    auto& result = deref("flops", flops);
    result = headwise::measure_fma_peak(read_limit_options(options));
  });
}

headwise_status headwise_measure_read_bandwidth(int64_t bytes_per_thread, const headwise_limit_options* options,
                                                double* bytes) {
  return guard([&] {
    auto& result = deref("bytes", bytes);
    result = headwise::measure_read_bandwidth(bytes_per_thread, read_limit_options(options));
  });
}

headwise_status headwise_memory_level_count(int32_t threads, int64_t* count) {
  return guard([&] { deref("count", count) = count_of(headwise::memory_levels(threads)); });
}

headwise_status headwise_memory_level_get(int32_t threads, int64_t index, headwise_memory_level* level) {
  return guard([&] {
    const auto levels = headwise::memory_levels(threads);
    const headwise::MemoryLevel& found = element_at("index", levels, index);
    headwise_memory_level result{0, "", found.capacity, found.bytes_per_thread};
    write_text(found.name, result.name);
    write_struct("level", level, result);
  });
}
