// Every kernel of every ISA of this CPU with Google Benchmark (--benchmark_filter=avx512/attend, …). "peak" is the
// share of the fused multiply-adds, "read" that of the bytes, which the same process could do of each just
// before (1 is all; Google Benchmark prints "/s" behind it).
#include <benchmark/benchmark.h>
#include <headwise/headwise.hpp>

#include <map>
#include <string>
#include <vector>

#include "kernel_case.hpp"

namespace {

using namespace kernel_case;

void attend(State& state, const KernelTable& table) {
  Head head(table, table.query_block, state.range(0), state.range(1));
  for (auto _ : state) table.attend(head.task);
  count_flops(state, table, 2 * head.product_flops());
}

// All slices of a head and their merge, as one thread decodes.
void decode(State& state, const KernelTable& table) {
  Head head(table, state.range(0), state.range(1), state.range(2));
  std::vector<Slice> slices(std::size_t(head.keys / slice_keys + 1));
  for (std::size_t s = 0; s < slices.size(); ++s)
    slices[s].state = head.state.data() + std::int64_t(s) * slice_floats(head.queries, head.size);
  for (auto _ : state) {
    std::int64_t count = 0;
    for (std::int64_t first = 0; first < head.keys; first = slices[std::size_t(count++)].key_end)
      table.attend_slice(head.task, first, slices[std::size_t(count)]);
    table.merge(head.task, slices.data(), count);
  }
  count_bytes(state, table, 2 * head.key_bytes());
}

void merge(State& state, const KernelTable& table) {
  Head head(table, 1, state.range(0) * slice_keys, state.range(1));
  std::vector<Slice> slices(std::size_t(state.range(0)));
  for (std::size_t s = 0; s < slices.size(); ++s) {
    slices[s].state = head.state.data() + std::int64_t(s) * slice_floats(1, head.size);
    table.attend_slice(head.task, std::int64_t(s) * slice_keys, slices[s]);
  }
  for (auto _ : state) table.merge(head.task, slices.data(), state.range(0));
  count_elements(state, state.range(0) * head.size);
}

void score(State& state, const KernelTable& table) {
  Head head(table, table.query_block, state.range(0), state.range(1));
  head.task.weights = {head.weights.data(), head.keys};
  for (auto _ : state) table.score(head.task, ScoreStage::masked);
  count_flops(state, table, head.product_flops());
}

void scan(State& state, const KernelTable& table) {
  Head head(table, table.query_block, state.range(0), 16);
  const MaskPlane plane{head.mask.data(), head.keys, 1, MaskKind::keep, Element::f32, nullptr, nullptr};
  for (auto _ : state) table.scan(plane, head.task, head.classes.data());
  count_bytes(state, table, double(head.mask.size()));
}

void position(State& state, const KernelTable& table) {
  const std::int64_t heads = state.range(0), size = state.range(1);
  headwise::Tensor row = filled(heads * size), cos({size / 2}), sin({size / 2});
  for (std::int64_t i = 0; i < size / 2; ++i) cos.data()[i] = 1;  // turned by nothing, or the row would drift
  const PositionTask task{row.data(), heads, size, size, nullptr, 0, cos.data(), sin.data(), size, false, Element::f32};
  for (auto _ : state) table.position(task);
  count_elements(state, heads * size);
}

// A token of a layer of this width: its sum with what it was before, normalised.
void layer_norm(State& state, const KernelTable& table) {
  const std::int64_t rows = state.range(0), columns = state.range(1);
  const headwise::Tensor x = filled(rows * columns), gamma = filled(columns), beta = filled(columns);
  headwise::Tensor y({rows * columns});
  const NormTask task{x.data(), x.data(), y.data(), gamma.data(), beta.data(), rows,
                      columns,  columns,  columns,  columns,      1e-12F};
  for (auto _ : state) table.layer_norm(task);
  count_elements(state, rows * columns);
}

// In place, so that the numbers change from turn to turn; no function here takes longer for some than for others.
void activate(State& state, const KernelTable& table, Activation activation) {
  headwise::Tensor x = filled(state.range(0));
  for (auto _ : state) table.activate({x.data(), state.range(0) / 64, 64, 64, activation});
  count_elements(state, x.size());
}

// y = f(x·Wᵀ) as a layer's forward half has it.
void multiply(State& state, const KernelTable& table, Activation activation) {
  const std::int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  const std::int64_t panels = (out + table.panel - 1) / table.panel;
  const headwise::Tensor x = filled(rows * in), weights = filled(panels * table.panel * in);
  headwise::Tensor y({rows * out});
  const ProductTask task{x.data(), y.data(), rows, in, out, weights.data(), nullptr, in, out, 96, activation};
  for (auto _ : state) table.multiply(task);
  count_flops(state, table, 2.0 * double(rows * in * out));
}

using Elementwise = void (*)(const float* x, float* y, std::int64_t n) noexcept;

void elementwise(State& state, Elementwise function) {
  const headwise::Tensor x = filled(state.range(0));
  headwise::Tensor y({state.range(0)});
  for (auto _ : state) function(x.data(), y.data(), x.size());
  count_elements(state, x.size());
}

void fma(State& state, const KernelTable& table) {
  float sink[16];
  double flops = 0;
  for (auto _ : state) benchmark::DoNotOptimize(flops = table.fma_burst(10000, sink));
  count_flops(state, table, flops);
}

void read(State& state, const KernelTable& table) {
  const headwise::Tensor rows = filled(state.range(0) / 4);
  float sink[16];
  for (auto _ : state) benchmark::DoNotOptimize(table.read_burst(rows.data(), state.range(0), 1, sink));
  count_bytes(state, table, double(state.range(0)));
}

template <class Function>
benchmark::internal::Benchmark* add(const KernelTable& table, const char* kernel, const Function& function) {
  const std::string name = std::string(table.isa) + "/" + kernel;
  return benchmark::RegisterBenchmark(name.c_str(), [&table, function](State& state) { function(state, table); });
}

void add_activations(const KernelTable& table) {
  const std::map<std::string, Activation> activations{{"gelu", Activation::gelu},
                                                      {"gelu_tanh", Activation::gelu_tanh},
                                                      {"relu", Activation::relu},
                                                      {"silu", Activation::silu},
                                                      {"none", Activation::none}};
  for (const auto& [name, activation] : activations) {
    const auto alone = [activation = activation](State& s, const KernelTable& t) { activate(s, t, activation); };
    const auto product = [activation = activation](State& s, const KernelTable& t) { multiply(s, t, activation); };
    if (activation != Activation::none) add(table, name.c_str(), alone)->ArgName("n")->Arg(4096);
    if (table.multiply == nullptr) continue;
    add(table, ("multiply_" + name).c_str(), product)
        ->ArgNames({"rows", "in", "out"})
        ->ArgsProduct({{16, 64, 128}, {384, 1536}, {384, 1536}});
  }
}

void add_kernels(const KernelTable& table) {
  const std::vector<std::int64_t> sizes{32, 64, 128};
  add(table, "attend", attend)->ArgNames({"keys", "size"})->ArgsProduct({{32, 128, 512, 2048}, sizes});
  std::vector<std::int64_t> few;
  for (std::int64_t n = 1; n <= table.few_queries; ++n) few.push_back(n);
  add(table, "attend_slice", decode)
      ->ArgNames({"queries", "keys", "size"})
      ->ArgsProduct({few, {480, 7680, 49152}, {64, 128}});
  add(table, "merge", merge)->ArgNames({"slices", "size"})->ArgsProduct({{2, 64}, {64, 128}});
  add(table, "score", score)->ArgNames({"keys", "size"})->ArgsProduct({{128, 2048}, sizes});
  add(table, "scan", scan)->ArgName("keys")->Arg(128)->Arg(4096);
  add(table, "position", position)->ArgNames({"heads", "size"})->Args({12, 64})->Args({32, 128});
  add(table, "exp", [](State& s, const KernelTable& t) { elementwise(s, t.exp); })->ArgName("n")->Arg(4096);
  add(table, "tanh", [](State& s, const KernelTable& t) { elementwise(s, t.tanh); })->ArgName("n")->Arg(4096);
  add(table, "layer_norm", layer_norm)->ArgNames({"rows", "columns"})->ArgsProduct({{32}, {384, 768, 1024}});
  add_activations(table);
  add(table, "fma_burst", fma);
  auto* reads = add(table, "read_burst", read)->ArgName("bytes");
  for (const headwise::MemoryLevel& level : headwise::memory_levels()) reads->Arg(level.bytes_per_thread);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const KernelList list = compiled_kernels();
  for (int i = 0; i < list.count; ++i) {
    if (list.tables[i]->fma_burst != nullptr && cpu_supports(*list.tables[i])) add_kernels(*list.tables[i]);
  }
  benchmark::RunSpecifiedBenchmarks();
}
