// How long a call still runs after another thread has set its cancel flag, at a moment drawn from the time that the
// call takes, with 1 and 2 threads. Usage: cancel_latency [ISA…]; all that the CPU has.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr int warm_calls = 5, cancelled_calls = 300;
constexpr double most_seconds = 2;  // a row of the table

// One call, and the flag that ends it.
struct Call {
  Session session;
  Tensor x, y;
  std::atomic<bool> cancel{false};

  Call(const MultiHeadAttention& layer, const Sizes& s, int threads)
      : session(layer, {.threads = threads}), x(filled({s.batch, s.length, s.width})), y(x.shape()) {}

  // False when it was cancelled.
  bool run() try {
    session.run({.query = x, .key = x, .value = x, .cancel = &cancel}, {.output = y});
    return true;
  } catch (const Error&) {
    return false;
  }
};

double time_of(Call& call) {
  std::vector<double> seconds;
  for (int i = 0; i < warm_calls; ++i) {
    const double start = wall();
    call.run();
    seconds.push_back(wall() - start);
  }
  return median(seconds);
}

// Seconds from setting the flag to the end of the call; below zero when the call was over before.
double cancel_after(Call& call, double delay) {
  double set = 0;
  call.cancel = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::duration<double>(delay));
    set = wall();
    call.cancel = true;
  });
  const bool whole = call.run();
  const double end = wall();
  other.join();
  return whole ? -1 : end - set;
}

void measure(const std::string& isa, const Sizes& s, int threads) {
  Call call(MultiHeadAttention(random_weights({.model_dim = s.width, .num_heads = s.heads}, 1), {isa}), s, threads);
  const double whole = time_of(call);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> moment(0, whole);
  std::vector<double> latencies;
  const double start = wall();
  while (int(latencies.size()) < cancelled_calls && wall() - start < most_seconds) {
    const double latency = cancel_after(call, moment(engine));
    if (latency >= 0) latencies.push_back(latency * 1e3);
  }
  std::printf("%-9s %5d %6d %6d %8d %9.2f %10zu %8.3f %8.3f %8.3f\n", isa.c_str(), int(s.batch), int(s.length),
              int(s.width), threads, whole * 1e3, latencies.size(), median(latencies), percentile(latencies, 0.99),
              percentile(latencies, 1));
}

// A call of the reference kernel takes a hundred times as long.
bool takes_seconds(const std::string& isa, const Sizes& s) {
  return isa == "reference" && s.core_flops() + s.projection_flops() > 1e10;
}

void measure_isa(const std::string& isa) {
  for (const Sizes& s : {Sizes{1, 128, 384, 12}, Sizes{1, 512, 768, 12}, Sizes{1, 2048, 1024, 16}}) {
    if (takes_seconds(isa, s)) continue;
    for (const int threads : {1, 2}) measure(isa, s, threads);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> isas(arguments + 1, arguments + count);
  if (isas.empty()) {
    for (const IsaInfo& isa : list_isas()) {
      if (isa.present) isas.push_back(isa.name);
    }
  }
  std::printf("%-9s %5s %6s %6s %8s %9s %10s %8s %8s %8s\n", "isa", "batch", "length", "width", "threads", "call, ms",
              "cancelled", "median", "99 %", "most, ms");
  for (const std::string& isa : isas) measure_isa(isa);
}
