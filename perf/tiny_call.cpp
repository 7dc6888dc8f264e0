// Where the time of a tiny call goes: the layer, the same attention without projections, and its kernel tasks alone, in
// alternating rounds of one thread. The differences are what projections and what reading and planning a call cost.
// Usage: tiny_call [batch length width heads]; without arguments 2 10 64 8.
#include <array>
#include <cstdio>
#include <cstdlib>

#include "attend.hpp"
#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

// The tasks that the core hands to the kernels, on the core's own tensors.
struct TaskProblem {
  const kernels::KernelTable& table;
  std::vector<kernels::AttendTask> tasks;
  std::unique_ptr<void, decltype(&std::free)> scratch{nullptr, &std::free};

  TaskProblem(const Sizes& s, const CoreProblem& core, const kernels::KernelTable& t) : table(t) {
    const kernels::HeadShape shape{s.length, s.head_dim(), s.head_dim()};
    scratch.reset(std::aligned_alloc(64, (t.scratch_bytes(shape) + 63) / 64 * 64));
    for (std::int64_t head = 0; head < s.batch * s.heads; ++head) {
      for (std::int64_t first = 0; first < s.length; first += t.query_block) add(s, core, head, first);
    }
  }

  void add(const Sizes& s, const CoreProblem& core, std::int64_t head, std::int64_t first) {
    const auto at = [&](const TensorView& view, std::int64_t row) {
      const Dims& step = view.strides;
      return static_cast<const float*>(view.data) + head / s.heads * step[0] + head % s.heads * step[1] + row * step[2];
    };
    kernels::AttendTask t{};
    t.query = {at(core.query, first), core.query.strides[2]};
    t.key = {at(core.key, 0), core.key.strides[2]};
    t.value = {at(core.value, 0), core.value.strides[2]};
    t.output = {const_cast<float*>(at(core.output, first)), core.output.strides[2]};
    t.shape = {s.length, s.head_dim(), s.head_dim()};
    t.first_query = first;
    t.num_queries = std::min<std::int64_t>(table.query_block, s.length - first);
    t.score.scale = 1 / std::sqrt(double(s.head_dim()));
    t.mask.key_end = s.length;
    t.scratch = scratch.get();
    tasks.push_back(t);
  }

  void run() {
    for (const kernels::AttendTask& task : tasks) table.attend(task);
  }
};

template <class Problem>
double microseconds(Problem& problem) {
  constexpr int repeats = 2000;
  const double start = now();
  for (int i = 0; i < repeats; ++i) problem.run();
  return (now() - start) / repeats * 1e6;
}

// The machine's state: shared cores may give half of what they give when idle.
double peak_rate(const kernels::KernelTable& table) {
  float sink[16];
  const double start = now();
  const double flops = table.fma_burst(100000, sink);
  return flops / (now() - start);
}

void measure(const Sizes& s) {
  const MultiHeadAttention attention = random_layer(s);
  LayerProblem layer(attention, s, 1);
  CoreProblem core(s, 1);
  TaskProblem tasks(s, core, *kernels::find_kernels(attention.isa()));
  std::array<std::vector<double>, 4> times;
  for (int round = 0; round < 41; ++round) {
    times[0].push_back(microseconds(layer));
    times[1].push_back(microseconds(core));
    times[2].push_back(microseconds(tasks));
    times[3].push_back(peak_rate(tasks.table));
  }
  const double whole = median(times[0]);
  const double attention_time = median(times[1]);
  const double kernel = median(times[2]);
  std::printf("%s: a call of %.2f us = projections %.2f + reading, planning and filling tasks %.2f + kernels %.2f\n",
              attention.isa(), whole, whole - attention_time, attention_time - kernel, kernel);
  std::printf("FMA peak meanwhile: %.0f GF/s; the call's multiply-adds alone would take %.2f us\n",
              median(times[3]) / 1e9, (s.core_flops() + s.projection_flops()) / median(times[3]) * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  Sizes s{2, 10, 64, 8};
  if (argc == 5) s = {std::atoll(argv[1]), std::atoll(argv[2]), std::atoll(argv[3]), std::atoll(argv[4])};
  if ((argc != 1 && argc != 5) || s.heads < 1 || s.width % s.heads != 0) {
    std::fprintf(stderr, "usage: tiny_call [batch length width heads]\n");
    return 2;
  }
  measure(s);
}
