#include "headwise/limits.hpp"

#include <algorithm>

#include "attend.hpp"
#include "headwise/attention.hpp"
#include "number_text.hpp"
#include "out_of_memory.hpp"
#include "team.hpp"

namespace headwise {
namespace {

constexpr std::int64_t step = 1024;  // bytes: what read_burst wants multiples of

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

const kernels::KernelTable& checked_kernels(const LimitOptions& options) {
  if (options.threads < 1 || options.threads > Session::max_threads)
    refuse("threads is " + std::to_string(options.threads) + "; expected 1 to " + std::to_string(Session::max_threads));
  if (!(options.seconds > 0 && options.seconds <= 60))
    refuse("seconds is " + number_text(options.seconds) + "; expected more than 0 and at most 60");
  const kernels::KernelTable& table = *kernels::find_kernels(resolve_isa(options.isa).c_str());
  if (table.fma_burst != nullptr) return table;
  throw Error(ErrorCode::unsupported, std::string("the ") + table.isa + " kernels have no limit to measure");
}

// Every thread writes its own buffer first. What nobody has written reads as one page of zeros, from L1.
std::vector<Tensor> make_buffers(std::int64_t bytes, int threads) {
  std::vector<Tensor> buffers(static_cast<std::size_t>(threads));
  const Dims shape{bytes / static_cast<std::int64_t>(sizeof(float))};
  limits::on_each_thread(threads, [&](int t) {
    Tensor& buffer = buffers[static_cast<std::size_t>(t)];
    buffer = Tensor(shape);
    std::fill_n(buffer.data(), buffer.size(), 1.0F);
  });
  return buffers;
}

}  // namespace

double measure_fma_peak(const LimitOptions& options) try {
  const kernels::KernelTable& table = checked_kernels(options);
  return limits::sustained_rate(options.threads, options.seconds, [&](int, std::int64_t repeats) {
    float sink[16];
    return table.fma_burst(repeats * 4096, sink);
  });
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to measure");
}

double measure_read_bandwidth(std::int64_t bytes_per_thread, const LimitOptions& options) try {
  const kernels::KernelTable& table = checked_kernels(options);
  if (bytes_per_thread < step)
    refuse("bytes_per_thread is " + std::to_string(bytes_per_thread) + "; expected at least " + std::to_string(step));
  const std::int64_t bytes = bytes_per_thread / step * step;
  const std::vector<Tensor> buffers = make_buffers(bytes, options.threads);
  return limits::sustained_rate(options.threads, options.seconds, [&](int t, std::int64_t repeats) {
    float sink[16];
    return table.read_burst(buffers[static_cast<std::size_t>(t)].data(), bytes, repeats, sink);
  });
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to measure");
}

}  // namespace headwise
