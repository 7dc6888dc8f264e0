// One head for the benchmarks of kernels, and the counters that hold what it does against the machine.
#pragma once

#include <benchmark/benchmark.h>
#include <headwise/headwise.hpp>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend.hpp"

namespace kernel_case {

using namespace headwise::kernels;
using benchmark::Counter;
using benchmark::State;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Bytes = std::unique_ptr<void, Free>;

inline headwise::Tensor filled(std::int64_t count) {
  headwise::Tensor tensor({count});
  for (std::int64_t i = 0; i < count; ++i) tensor.data()[i] = float((i * 2654435761 >> 8) % 4096) / 2048 - 1;
  return tensor;
}

// One task of one head over rows of its own.
struct Head {
  std::int64_t queries, keys, size;
  headwise::Tensor query, key, value, output, weights, state;
  std::vector<ChunkClass> classes;
  std::vector<std::uint8_t> mask;
  Bytes scratch;
  AttendTask task{};

  Head(const KernelTable& table, std::int64_t num_queries, std::int64_t num_keys, std::int64_t head_dim)
      : queries(num_queries),
        keys(num_keys),
        size(head_dim),
        query(filled(queries * size)),
        key(filled(keys * size)),
        value(filled(keys * size)),
        output({queries * size}),
        weights({queries * keys}),
        state({(keys / slice_keys + 1) * slice_floats(queries, size)}),
        classes(std::size_t(keys / scan_chunk + 1)),
        mask(std::size_t(queries * keys), 1) {
    task.query = {query.data(), size};
    task.key = {key.data(), size};
    task.value = {value.data(), size};
    task.output = {output.data(), size};
    task.shape = {keys, size, size};
    task.num_queries = queries;
    task.score.scale = 1 / std::sqrt(double(size));
    task.mask.key_end = keys;
    scratch.reset(std::aligned_alloc(64, (table.scratch_bytes(task.shape) + 63) / 64 * 64));
    task.scratch = scratch.get();
  }
  double product_flops() const { return 2.0 * double(queries) * double(keys) * double(size); }
  double key_bytes() const { return double(keys * size) * sizeof(float); }
};

// Measured once an ISA, and once a size.
inline double peak_of(const KernelTable& table) {
  static std::map<std::string, double> known;
  double& rate = known[table.isa];
  if (rate == 0) rate = headwise::measure_fma_peak({table.isa, 1, 0.2});
  return rate;
}
inline double bandwidth_of(const KernelTable& table, std::int64_t bytes) {
  static std::map<std::pair<std::string, std::int64_t>, double> known;
  double& rate = known[{table.isa, bytes}];
  if (rate == 0) rate = headwise::measure_read_bandwidth(bytes, {table.isa, 1, 0.2});
  return rate;
}

inline constexpr auto each_time = Counter::kIsIterationInvariantRate;

inline void count_flops(State& state, const KernelTable& table, double flops) {
  state.counters["FLOP/s"] = Counter(flops, each_time);
  state.counters["peak"] = Counter(flops / peak_of(table), each_time);
}
inline void count_bytes(State& state, const KernelTable& table, double bytes) {
  state.counters["bytes/s"] = Counter(bytes, each_time);
  state.counters["read"] = Counter(bytes / bandwidth_of(table, std::int64_t(bytes)), each_time);
}
inline void count_elements(State& state, std::int64_t count) {
  state.counters["elements/s"] = Counter(double(count), each_time);
}

}  // namespace kernel_case
