// How near decoding comes to reading: bytes per second of one new query against a cache of keys and values, through the
// public API, and of the bare read kernel over the same bytes with the same threads, in alternating rounds of one
// process. Usage: decode_share [ISA...]; without arguments the best of this CPU.
#include <omp.h>
#include <headwise/headwise.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "attend.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

using namespace headwise;

namespace {

struct Shape {
  std::int64_t batch, heads, kv_heads, size, length;
};
// 8 to 16 MiB of keys and values: more than L2, less than L3; then 256 MiB and more.
constexpr Shape shapes[] = {{1, 12, 12, 64, 2048},  {1, 16, 16, 128, 1024},  {1, 32, 8, 128, 2048},
                            {4, 12, 12, 64, 512},   {1, 12, 12, 64, 49152},  {1, 32, 32, 128, 8192},
                            {1, 32, 8, 128, 32768}, {1, 32, 1, 128, 262144}, {8, 12, 12, 64, 6144}};

Tensor filled(const Dims& shape) {
  Tensor tensor(shape);
  float* data = tensor.data();
  const std::int64_t count = tensor.size();
  for (std::int64_t i = 0; i < count; ++i) data[i] = float((i * 2654435761 >> 8) % 4096) / 2048 - 1;
  return tensor;
}

AttentionWeights layer(const Shape& shape) {
  AttentionWeights weights;
  weights.config = {.num_heads = shape.heads, .num_kv_heads = shape.kv_heads, .head_dim = shape.size};
  return weights;
}

struct Decode {
  MultiHeadAttention model;
  Session session;
  KvCache cache;
  Tensor query, output;

  Decode(const Shape& s, const std::string& isa, int threads)
      : model(MultiHeadAttention::without_projections(layer(s), {.isa = isa})),
        session(model, {.threads = threads}),
        cache(model.config(), {.batch = s.batch, .capacity = s.length}),
        query(filled({s.batch, s.heads, 1, s.size})),
        output({s.batch, s.heads, 1, s.size}) {
    const Tensor rows = filled({s.batch, s.kv_heads, s.length, s.size});
    cache.append(rows, rows);
  }
  double bytes() const { return 2.0 * double(element_count(cache.keys().shape)) * sizeof(float); }
  void run() { session.run({.query = query, .cache = &cache}, {.output = output}); }
};

// The same bytes by the read kernel: every thread reads its part of the keys, then of the values.
void read_all(const KvCache& cache, const kernels::KernelTable& table, int threads) {
  const std::int64_t part = element_count(cache.keys().shape) / threads;
#pragma omp parallel num_threads(threads)
  for (const TensorView& rows : {cache.keys(), cache.values()}) {
    float sink[16];
    const float* start = static_cast<const float*>(rows.data) + omp_get_thread_num() * part;
    table.read_burst(start, part * std::int64_t(sizeof(float)), 1, sink);
  }
}

template <class Work>
double seconds_of(int repeats, const Work& work) {
  const double start = wall();
  for (int i = 0; i < repeats; ++i) work();
  return (wall() - start) / repeats;
}

struct Rates {
  std::vector<double> decode, read, share;
};

Rates measure(const Shape& shape, const std::string& isa, int threads) {
  Decode decode(shape, isa, threads);
  const kernels::KernelTable& table = *kernels::find_kernels(isa.c_str());
  const int repeats = std::max(1, int(1e8 / decode.bytes()));
  Rates rates;
  for (int round = 0; round < 16; ++round) {
    const double read = seconds_of(repeats, [&] { read_all(decode.cache, table, threads); });
    const double run = seconds_of(repeats, [&] { decode.run(); });
    if (round == 0) continue;  // wakes the threads
    rates.read.push_back(decode.bytes() / read / 1e9);
    rates.decode.push_back(decode.bytes() / run / 1e9);
    rates.share.push_back(100 * read / run);
  }
  return rates;
}

void report(const Shape& s, const std::string& isa, int threads) {
  const Rates rates = measure(s, isa, threads);
  const double mib = 2.0 * double(s.batch * s.kv_heads * s.length * s.size) * sizeof(float) / (1 << 20);
  std::printf("%-7s %7d %6.0f %5lld %5lld %8lld %4lld %7lld %8.1f %8.1f %7.1f %7.1f to %5.1f\n", isa.c_str(), threads,
              mib, (long long)s.batch, (long long)s.heads, (long long)s.kv_heads, (long long)s.size,
              (long long)s.length, median(rates.decode), median(rates.read), median(rates.share),
              percentile(rates.share, 0.1), percentile(rates.share, 0.9));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> isas(argv + 1, argv + argc);
  if (isas.empty()) isas.push_back(resolve_isa(""));
  std::printf("%-7s %7s %6s %5s %5s %8s %4s %7s %8s %8s %7s %16s\n", "ISA", "threads", "MiB", "batch", "heads",
              "kv heads", "size", "length", "decode", "read", "% read", "10 to 90 %");
  for (const std::string& isa : isas) {
    for (const Shape& shape : shapes) {
      for (const int threads : {1, 2}) report(shape, isa, threads);
    }
  }
  std::printf("decode, read: GB/s (10^9 bytes)\n");
}
