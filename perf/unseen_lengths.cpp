// What a length costs that was never seen before: a trace of random lengths from 1 to 512 in a new session, each
// length's first call over its warm time (median of three calls later on). The very first call of the process is in it.
// CPU time of one thread, so page faults of the session's own memory count. Usage: unseen_lengths [width heads].
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr std::int64_t longest = 512;

// Tensors of the longest length, whose memory was touched: only the session's is new.
struct Trace {
  Session session;
  Tensor x, y;
  explicit Trace(const Sizes& s)
      : session(random_layer(s), {.threads = 1}), x(filled({longest, s.width})), y(x.shape()) {}

  double run(std::int64_t length) {
    const Dims shape{length, x.shape()[1]};
    const TensorView in(x.data(), DType::f32, shape);
    const double start = now();
    session.run({.query = in, .key = in, .value = in}, {.output = MutableTensorView(y.data(), DType::f32, shape)});
    return now() - start;
  }
};

std::vector<std::int64_t> random_lengths() {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 1; i <= longest; ++i) lengths.push_back(i);
  std::shuffle(lengths.begin(), lengths.end(), std::mt19937(1));
  return lengths;
}

double warm_time(Trace& trace, std::int64_t length) {
  std::vector<double> times;
  for (int i = 0; i < 4; ++i) times.push_back(trace.run(length));
  times.erase(times.begin());
  return median(times);
}

void measure(const Sizes& s) {
  Trace trace(s);
  const std::vector<std::int64_t> lengths = random_lengths();
  std::vector<double> first, ratios;
  for (const std::int64_t length : lengths) first.push_back(trace.run(length));
  std::size_t worst = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ratios.push_back(first[i] / warm_time(trace, lengths[i]));
    if (ratios[i] > ratios[worst]) worst = i;
  }
  std::printf("%6lld %6lld %7.2f %7.2f %7.2f %7.2f %7.2f   length %lld, call %zu of the trace\n", (long long)s.width,
              (long long)s.heads, ratios[0], median(ratios), percentile(ratios, 0.9), percentile(ratios, 0.99),
              ratios[worst], (long long)lengths[worst], worst + 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 1 && argc != 3) {
    std::fprintf(stderr, "usage: unseen_lengths [width heads]\n");
    return 2;
  }
  std::printf("first call of a length over its warm time\n%6s %6s %7s %7s %7s %7s %7s\n", "width", "heads", "call 1",
              "p50", "p90", "p99", "worst");
  if (argc == 3) return measure({1, longest, std::atoll(argv[1]), std::atoll(argv[2])}), 0;
  for (const auto& [width, heads] : {std::array{64, 8}, {384, 12}}) {
    measure({1, longest, width, heads});
  }
}
