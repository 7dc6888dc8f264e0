// Whole layers with Google Benchmark: batch, length, width, heads, threads.
#include <benchmark/benchmark.h>

#include "headwise/headwise.hpp"

namespace {

using namespace headwise;

void layer(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  const std::int64_t length = state.range(1);
  const std::int64_t width = state.range(2);
  const MultiHeadAttention attention(random_weights({.model_dim = width, .num_heads = state.range(3)}, 1));
  Session session(attention, {.threads = static_cast<int>(state.range(4))});
  Tensor x({batch, length, width});
  Tensor y({batch, length, width});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 251) / 125 - 1;
  const AttentionInputs inputs{.query = x, .key = x, .value = x};
  const AttentionOutputs outputs{.output = y};
  double flops = 0;
  for (const StepInfo& step : session.explain(inputs, outputs).steps) flops += step.flops;
  for (auto _ : state) session.run(inputs, outputs);
  using benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
}

BENCHMARK(layer)
    ->ArgNames({"batch", "length", "width", "heads", "threads"})
    ->ArgsProduct({{1, 32}, {128}, {384}, {12}, {1, 2}})
    ->ArgsProduct({{1, 8}, {128}, {768}, {12}, {1, 2}})
    ->ArgsProduct({{1, 4}, {512}, {768}, {12}, {1, 2}})
    ->Args({2, 10, 64, 8, 1})
    ->Args({1, 2048, 1024, 16, 1})
    ->Args({1, 2048, 1024, 16, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
