// How near the attention core comes to what the machine can do: GF/s of the core and of bare fused multiply-adds,
// measured in alternating rounds of one process and compared as a ratio, so that a clock that drifts moves both. Usage:
// core_share [ISA...]; without arguments every ISA of this CPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "attend.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise::kernels;

struct Shape {
  std::int64_t length, heads, size;
};
constexpr Shape shapes[] = {{128, 12, 64}, {512, 12, 64}, {2048, 16, 64}, {4096, 8, 64},
                            {512, 8, 128}, {128, 12, 32}, {512, 12, 32}};

// Query, key and value rows of all heads side by side, as the fused product leaves them.
struct Problem {
  Shape shape;
  const KernelTable& table;
  std::int64_t stride;
  std::vector<float> rows, context;
  std::unique_ptr<void, decltype(&std::free)> scratch{nullptr, &std::free};

  Problem(const Shape& s, const KernelTable& t) : shape(s), table(t), stride(3 * s.heads * s.size) {
    if (stride % 512 == 0) stride += 16;  // as the library pads it
    rows.resize(std::size_t(s.length * stride));
    context.resize(std::size_t(s.length * s.heads * s.size));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = float((i * 2654435761U >> 8) % 4096) / 2048 - 1;
    scratch.reset(std::aligned_alloc(64, (t.scratch_bytes({s.length, s.size, s.size}) + 63) / 64 * 64));
  }

  double flops() const {
    return 4.0 * double(shape.length) * double(shape.length) * double(shape.heads) * double(shape.size);
  }

  AttendTask task(std::int64_t head, std::int64_t first) {
    const std::int64_t width = shape.heads * shape.size;
    const float* start = rows.data() + head * shape.size;
    AttendTask t{};
    t.query = {start + first * stride, stride};
    t.key = {start + width, stride};
    t.value = {start + 2 * width, stride};
    t.output = {context.data() + first * width + head * shape.size, width};
    t.shape = {shape.length, shape.size, shape.size};
    t.first_query = first;
    t.num_queries = std::min<std::int64_t>(table.query_block, shape.length - first);
    t.score.scale = 1 / std::sqrt(float(shape.size));
    t.mask.key_end = shape.length;
    t.scratch = scratch.get();
    return t;
  }

  void run() {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for (std::int64_t first = 0; first < shape.length; first += table.query_block) table.attend(task(head, first));
    }
  }
};

double peak_rate(const KernelTable& table) {
  float sink[16];
  const double start = now();
  const double flops = table.fma_burst(1000000, sink);
  return flops / (now() - start);
}

double core_rate(Problem& problem) {
  const int repeats = std::max(1, int(2e8 / problem.flops()));
  const double start = now();
  for (int i = 0; i < repeats; ++i) problem.run();
  return repeats * problem.flops() / (now() - start);
}

void measure(const Shape& shape, const KernelTable& table) {
  Problem problem(shape, table);
  problem.run();
  std::vector<double> shares;
  std::vector<double> rates;
  for (int round = 0; round < 21; ++round) {
    const double peak = peak_rate(table);
    rates.push_back(core_rate(problem));
    shares.push_back(100 * rates.back() / peak);
  }
  std::printf("%-8s %6lld %6lld %6lld %9.1f %8.1f %8.1f to %5.1f\n", table.isa, (long long)shape.length,
              (long long)shape.heads, (long long)shape.size, median(rates) / 1e9, median(shares),
              percentile(shares, 0.1), percentile(shares, 0.9));
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%-8s %6s %6s %6s %9s %8s %17s\n", "ISA", "length", "heads", "size", "GF/s", "% peak",
              "10 to 90 % of runs");
  const KernelList list = compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    const KernelTable& table = *list.tables[i];
    const auto wanted = [&](const char* name) { return find_kernels(name) == &table; };
    if (table.fma_burst == nullptr || !cpu_supports(table)) continue;
    if (argc > 1 && std::none_of(argv + 1, argv + argc, wanted)) continue;
    for (const Shape& shape : shapes) measure(shape, table);
  }
}
