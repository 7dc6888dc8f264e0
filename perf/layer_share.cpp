// How near whole layers come to what the machine can do: flops of the layer, of its core and of its projections (the
// difference of the two) as a share of the FMA peak that the same process measures between its rounds. One thread.
#include <array>
#include <cstdio>

#include "attend.hpp"
#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr Sizes shapes[] = {{1, 128, 384, 12}, {32, 128, 384, 12},  {64, 32, 384, 12},
                            {1, 128, 768, 12}, {8, 128, 768, 12},   {1, 512, 768, 12},
                            {4, 512, 768, 12}, {1, 2048, 1024, 16}, {1, 4096, 512, 8}};

double peak_rate(const kernels::KernelTable& table) {
  float sink[16];
  const double start = now();
  const double flops = table.fma_burst(1000000, sink);
  return flops / (now() - start);
}

template <class Problem>
double seconds(Problem& problem, int repeats) {
  const double start = now();
  for (int i = 0; i < repeats; ++i) problem.run();
  return (now() - start) / repeats;
}

void measure(const Sizes& s) {
  const MultiHeadAttention attention = random_layer(s);
  const kernels::KernelTable& table = *kernels::find_kernels(attention.isa());
  LayerProblem layer(attention, s, 1);
  CoreProblem core(s, 1);
  core.run();
  const int repeats = std::max(1, int(0.02 / seconds(layer, 1)));
  std::array<std::vector<double>, 3> shares;
  std::vector<double> times;
  for (int round = 0; round < 9; ++round) {
    const double peak = peak_rate(table);
    const double whole = seconds(layer, repeats);
    const double attend = seconds(core, repeats);
    times.push_back(whole);
    shares[0].push_back(100 * (s.core_flops() + s.projection_flops()) / whole / peak);
    shares[1].push_back(100 * s.core_flops() / attend / peak);
    shares[2].push_back(100 * s.projection_flops() / (whole - attend) / peak);
  }
  std::printf("%5lld %6lld %6lld %6lld %10.3f %8.1f %8.1f %12.1f\n", (long long)s.batch, (long long)s.length,
              (long long)s.width, (long long)s.heads, median(times) * 1e3, median(shares[0]), median(shares[1]),
              median(shares[2]));
}

}  // namespace

int main() {
  std::printf("%5s %6s %6s %6s %10s %8s %8s %12s\n", "batch", "length", "width", "heads", "layer, ms", "% layer",
              "% core", "% projection");
  for (const Sizes& s : shapes) measure(s);
}
