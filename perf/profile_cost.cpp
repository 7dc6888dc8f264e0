// What profiling costs: the same call profiled and not, in alternating rounds of one process, compared as a ratio. Two
// figures: the length of the call as the profile tells it, which is what its reader must trust, and the whole of
// Session::profile with the report that it makes. Usage: profile_cost [threads...]; 1 and 2 without arguments.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr Sizes shapes[] = {{2, 10, 64, 8}, {1, 128, 384, 12}, {32, 128, 384, 12}, {1, 2048, 1024, 16}};
constexpr int rounds = 41;
constexpr double round_seconds = 0.02;  // a round of each kind repeats its call so long

// A layer's call, profiled and not.
struct Call : LayerProblem {
  Call(const Sizes& shape, int threads) : LayerProblem(random_layer(shape), shape, threads) {}

  double plain() {
    const double start = wall();
    run();
    return wall() - start;
  }
  // The length that the profile tells; `whole` is that of everything.
  double profiled(double& whole) {
    const double start = wall();
    const double told = session.profile({.query = x, .key = x, .value = x}, {.output = y}, {}).seconds;
    whole = wall() - start;
    return told;
  }
};

void measure(const Sizes& shape, int threads) {
  Call call(shape, threads);
  double whole = 0;
  call.profiled(whole);
  const int repeats = std::max(1, int(round_seconds / call.plain()));
  std::vector<double> told_ratios, whole_ratios, times;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> plain, told, all;
    for (int i = 0; i < repeats; ++i) {  // call by call, so that both see the same neighbours and the same clock
      plain.push_back(call.plain());
      told.push_back(call.profiled(whole));
      all.push_back(whole);
    }
    times.push_back(median(plain));
    told_ratios.push_back(median(told) / times.back());
    whole_ratios.push_back(median(all) / times.back());
  }
  std::printf("%5lld %6lld %6lld %6lld %8d %12.1f %+12.2f %+12.2f\n", (long long)shape.batch, (long long)shape.length,
              (long long)shape.width, (long long)shape.heads, threads, median(times) * 1e6,
              100 * median(told_ratios) - 100, 100 * median(whole_ratios) - 100);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::max(1, std::atoi(argv[i])));
  if (threads.empty()) threads = {1, 2};
  std::printf("%5s %6s %6s %6s %8s %12s %12s %12s\n", "batch", "length", "width", "heads", "threads", "plain, us",
              "profiled, %", "report, %");
  for (const int count : threads) {
    for (const Sizes& shape : shapes) measure(shape, count);
  }
}
