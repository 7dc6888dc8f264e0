// Many threads of a server that call at once: sessions with OpenMP's teams, with a shared executor, and of one thread
// each. Then what idle sessions, sessions beside each other and changing thread counts cost. Wall clock, alternating
// rounds of one process. Usage: many_callers [callers [threads [length width heads]]]; 64 callers and 2 threads.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "problems.hpp"
#include "statistics.hpp"
#include "thread_time.hpp"

namespace {

using namespace headwise;

constexpr double round_seconds = 1;
constexpr int rounds = 5;

struct Load {
  MultiHeadAttention layer;
  Sizes sizes;
  int callers, threads;
};

// A caller's session with its data.
struct Caller {
  Session session;
  Tensor x, y;
  Caller(const Load& load, const SessionOptions& options)
      : session(load.layer, options),
        x(filled({load.sizes.batch, load.sizes.length, load.sizes.width})),
        y(x.shape()) {}
  double run() {
    const double start = wall();
    session.run({.query = x, .key = x, .value = x}, {.output = y});
    return wall() - start;
  }
};

int system_threads() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

struct Way {
  const char* name;
  SessionOptions options;
  std::vector<double> rates{}, seconds{};
  int system_threads = 0;
};

// All callers call as often as they can for a while.
void run_round(const Load& load, Way& way) {
  std::atomic<int> ready{0}, over{0};
  std::vector<std::vector<double>> times(static_cast<std::size_t>(load.callers));
  std::vector<std::thread> all;
  for (auto& own : times) {
    all.emplace_back([&] {
      Caller caller(load, way.options);
      caller.run();
      for (++ready; over == 0;) own.push_back(caller.run());
    });
  }
  while (ready < load.callers) std::this_thread::yield();
  const double start = wall();
  std::this_thread::sleep_for(std::chrono::duration<double>(round_seconds));
  way.system_threads = system_threads();
  over = 1;
  for (std::thread& one : all) one.join();
  const double took = wall() - start;
  double calls = 0;
  for (const auto& own : times) {
    calls += double(own.size());
    way.seconds.insert(way.seconds.end(), own.begin(), own.end());
  }
  way.rates.push_back(calls / took);
}

void print(const Way& way) {
  std::printf("%-22s %9.0f %9.2f %9.2f %9.2f %9d\n", way.name, median(way.rates), percentile(way.seconds, 0.5) * 1e3,
              percentile(way.seconds, 0.99) * 1e3, percentile(way.seconds, 1) * 1e3, way.system_threads);
}

void measure_ways(const Load& load) {
  std::vector<Way> ways{{"OpenMP's teams", {.threads = load.threads}},
                        {"a shared executor", {.executor = std::make_shared<Executor>(load.threads)}},
                        {"one thread a session", {.threads = 1}}};
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) run_round(load, way);
  }
  std::printf("%d callers, %d threads, (%lld, %lld, %lld, %lld heads)\n", load.callers, load.threads,
              (long long)load.sizes.batch, (long long)load.sizes.length, (long long)load.sizes.width,
              (long long)load.sizes.heads);
  std::printf("%-22s %9s %9s %9s %9s %9s\n", "", "calls/s", "p50, ms", "p99, ms", "most, ms", "threads");
  for (const Way& way : ways) print(way);
}

// The ratio of two functions' times, in 21 rounds that alternate, each long enough for the clock.
double ratio_of(const std::function<void()>& one, const std::function<void()>& other) {
  std::vector<double> ratios;
  for (int round = 0; round < 21; ++round) {
    const double start = wall();
    one();
    const double middle = wall();
    other();
    ratios.push_back((middle - start) / (wall() - middle));
  }
  return median(ratios);
}

void repeat(Caller& caller, int times) {
  for (int i = 0; i < times; ++i) caller.run();
}

// A thread with a session that has run once and now waits, as a server's other models do.
struct Idle {
  std::atomic<int> over{0}, ready{0};
  std::thread thread;
  explicit Idle(const Load& load)
      : thread([this, &load] {
          Caller caller(load, {.threads = load.threads});
          caller.run();
          ready = 1;
          over.wait(0);
        }) {
    while (ready == 0) std::this_thread::yield();
  }
  ~Idle() {
    over = 1;
    over.notify_all();
    thread.join();
  }
};

// Only the calls are timed, not the others' start, nor the time for which libgomp's threads stay awake after a call
// (300,000 turns of a loop with a pause: up to 10 ms).
void measure_idle(const Load& load, Caller& caller, int calls) {
  std::vector<double> ratios;
  for (int round = 0; round < 21; ++round) {
    double seconds[2];
    for (const bool idle : {false, true}) {
      std::vector<std::unique_ptr<Idle>> others;
      for (int i = 0; idle && i < 3; ++i) others.push_back(std::make_unique<Idle>(load));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const double start = wall();
      repeat(caller, calls);
      seconds[idle ? 1 : 0] = wall() - start;
    }
    ratios.push_back(seconds[1] / seconds[0]);
  }
  std::printf("beside 3 idle sessions: %.2f times the time\n", median(ratios));
}

void measure_concurrent(const Load& load, Caller& caller, int calls, const SessionOptions& options, const char* name) {
  const auto concurrent = [&] {
    std::vector<std::thread> all;
    for (int c = 0; c < 4; ++c) {
      all.emplace_back([&] {
        Caller own(load, options);
        repeat(own, calls);
      });
    }
    for (std::thread& one : all) one.join();
  };
  std::printf("4 sessions at once, %s: %.2f times one after the other\n", name,
              ratio_of(concurrent, [&] { repeat(caller, 4 * calls); }));
}

void measure_changing(const Load& load, Caller& caller, int calls) {
  Caller single(load, {.threads = 1});
  const auto changing = [&] {
    for (int i = 0; i < calls; ++i) caller.run(), single.run();
  };
  std::printf("counts that change from call to call: %.2f times the time of calls in a row\n",
              ratio_of(changing, [&] { repeat(caller, calls), repeat(single, calls); }));
}

void measure_costs(const Load& load) {
  Caller caller(load, {.threads = load.threads});
  caller.run();
  const int calls = std::max(1, int(0.1 / caller.run()));
  measure_idle(load, caller, calls);
  measure_concurrent(load, caller, calls, {.threads = load.threads}, "OpenMP's teams");
  measure_concurrent(load, caller, calls, {.executor = std::make_shared<Executor>(load.threads)}, "an executor");
  measure_changing(load, caller, calls);
  Caller shared(load, {.executor = std::make_shared<Executor>(load.threads)});
  std::printf("one caller with an executor: %.2f times OpenMP's time\n",
              ratio_of([&] { repeat(shared, calls); }, [&] { repeat(caller, calls); }));
}

}  // namespace

int main(int argc, char** argv) {
  const int callers = argc > 1 ? std::atoi(argv[1]) : 64;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  if ((argc > 3 && argc != 6) || callers < 1 || threads < 1) {
    std::fprintf(stderr, "usage: many_callers [callers [threads [length width heads]]]\n");
    return 2;
  }
  Sizes sizes{1, 128, 384, 12};
  if (argc == 6) sizes = {1, std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5])};
  const Load load{random_layer(sizes), sizes, callers, threads};
  measure_ways(load);
  measure_costs(load);
}
