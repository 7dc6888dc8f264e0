// C05: memory stays bounded when every call has another length, and when models and sessions come and go.
//   growth [--step=1] [--isa=NAME]
// Lengths 1, 1 + step, … up to 2,000 in shuffled order, twice, on one thread and then on four; then 200 models and
// sessions, one after the other.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "headwise/attention.hpp"
#include "process.hpp"
#include "random.hpp"

namespace {

using namespace headwise;

constexpr std::int64_t longest = 2000, width = 64;
constexpr double mib = 0x1p20;

AttentionWeights layer() {
  return random_weights({.model_dim = width, .num_heads = 4}, 1);
}

std::vector<std::int64_t> shuffled_lengths(std::int64_t step) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 1; length <= longest; length += step) lengths.push_back(length);
  Random random(5);
  for (std::size_t i = lengths.size(); i > 1; --i) {
    std::swap(lengths[i - 1], lengths[std::size_t(random.below(std::int64_t(i)))]);
  }
  return lengths;
}

void run(Session& session, std::int64_t length, Tensor& x, Tensor& y) {
  const Dims shape{1, length, width};
  const TensorView in(x.data(), DType::f32, shape);
  session.run({.query = in, .key = in, .value = in}, {.output = MutableTensorView(y.data(), DType::f32, shape)});
}

double resident() {
  return double(sample_process(0).resident_bytes);
}

// The most that was resident in a pass over all lengths.
double peak_of_pass(Session& session, const std::vector<std::int64_t>& lengths, Tensor& x, Tensor& y) {
  double peak = 0;
  for (const std::int64_t length : lengths) {
    run(session, length, x, y);
    peak = std::max(peak, resident());
  }
  return peak;
}

bool report(const char* what, double bytes, double limit) {
  std::printf("%s: %+.1f MiB, at most %.1f\n", what, bytes / mib, limit / mib);
  return bytes <= limit;
}

bool lengths_are_bounded(const MultiHeadAttention& model, std::int64_t step, int threads) {
  const std::vector<std::int64_t> lengths = shuffled_lengths(step);
  Tensor x({1, longest, width}), y({1, longest, width});
  Random random(6);
  random.fill(x.data(), x.size(), -1, 1);
  const double before = resident();
  Session session(model, {.threads = threads});
  const double first = peak_of_pass(session, lengths, x, y), second = peak_of_pass(session, lengths, x, y);
  std::printf("%zu lengths, %d threads\n", lengths.size(), threads);
  const bool settled = report("  second pass over first", second - first, 0.05 * first);
  return report("  growth", second - before, 64 * mib) && settled;
}

// The first cycles bring the allocator to its size.
bool cycles_are_bounded(const std::string& isa) {
  const AttentionWeights weights = layer();
  Tensor x({1, longest, width}), y({1, longest, width});
  double before = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    if (cycle == 20) before = resident();
    const MultiHeadAttention model(weights, {isa});
    Session session(model, {.threads = 2});
    run(session, 100, x, y);
  }
  return report("180 more models and sessions", resident() - before, mib);
}

const char* value_of(const char* argument, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

}  // namespace

int main(int count, char** words) {
  std::int64_t step = 1;
  std::string isa;
  for (int i = 1; i < count; ++i) {
    if (const char* text = value_of(words[i], "--step=")) step = std::max(std::atoll(text), 1LL);
    if (const char* text = value_of(words[i], "--isa=")) isa = text;
  }
  const MultiHeadAttention model(layer(), {isa});
  bool bounded = true;
  for (const int threads : {1, 4}) bounded = lengths_are_bounded(model, step, threads) && bounded;
  return cycles_are_bounded(isa) && bounded ? 0 : 1;
}
