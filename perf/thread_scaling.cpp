// What a second thread brings: time of one thread over the time of several, wall clock, in alternating rounds of one
// process, for whole layers and for their cores. Run it on an idle machine. Usage: thread_scaling [threads
// [batch length width heads]]; without arguments two threads and a list of sizes.
#include <cstdio>
#include <cstdlib>

#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr Sizes shapes[] = {{1, 128, 384, 12}, {32, 128, 384, 12}, {1, 128, 768, 12}, {8, 128, 768, 12},
                            {1, 512, 768, 12}, {2, 128, 64, 1},    {1, 128, 128, 2},  {1, 512, 64, 1},
                            {1, 2048, 64, 1},  {1, 512, 128, 1},   {5, 300, 384, 12}, {1, 24, 160, 5},
                            {1, 32, 192, 6}};

template <class Problem>
double seconds(Problem& problem, int repeats) {
  const double start = wall();
  for (int i = 0; i < repeats; ++i) problem.run();
  return (wall() - start) / repeats;
}

struct Figure {
  double time, ratio, low, high;  // of one thread; of it over that of several
};

// A round takes about 20 ms a side.
template <class Problem>
Figure compare(Problem& one, Problem& several) {
  several.run();
  const int repeats = std::max(1, int(0.02 / std::max(seconds(one, 1), 1e-6)));
  std::vector<double> times, ratios;
  for (int round = 0; round < 15; ++round) {
    const double alone = seconds(one, repeats);
    times.push_back(alone);
    ratios.push_back(alone / seconds(several, repeats));
  }
  return {median(times), median(ratios), percentile(ratios, 0.1), percentile(ratios, 0.9)};
}

void print(const Sizes& s, const char* what, const Figure& f) {
  std::printf("%5lld %6lld %6lld %6lld  %-6s %9.3f %8.2f %8.2f to %4.2f\n", (long long)s.batch, (long long)s.length,
              (long long)s.width, (long long)s.heads, what, f.time * 1e3, f.ratio, f.low, f.high);
}

void measure(const Sizes& s, int threads) {
  const MultiHeadAttention attention = random_layer(s);
  LayerProblem layer(attention, s, 1);
  LayerProblem layer_shared(attention, s, threads);
  print(s, "layer", compare(layer, layer_shared));
  CoreProblem core(s, 1);
  CoreProblem core_shared(s, threads);
  print(s, "core", compare(core, core_shared));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  if ((argc > 2 && argc != 6) || threads < 1) {
    std::fprintf(stderr, "usage: thread_scaling [threads [batch length width heads]]\n");
    return 2;
  }
  std::printf("%5s %6s %6s %6s  %-6s %9s %8s %16s\n", "batch", "length", "width", "heads", "what", "one, ms", "gain",
              "10 to 90 %");
  if (argc == 6) {
    measure({std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5])}, threads);
    return 0;
  }
  for (const Sizes& s : shapes) measure(s, threads);
}
