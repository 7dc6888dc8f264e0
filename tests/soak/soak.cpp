// Eight sessions of a server at work: random calls on shared models, each result held against a serial run, while
// memory and threads of the process are watched.
//   soak [--seconds=300] [--max-drift=1] [--seed=1]
// Ends with 1 when a result was wrong, the number of threads changed, or resident memory grew by more than so many per
// cent between the first fifth of the time (one minute of five) and its end.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "process.hpp"
#include "work.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  double seconds = 300, max_drift = 1;
  std::uint64_t seed = 1;
};

const char* value_of(const char* argument, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

Arguments read(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    if (const char* text = value_of(words[i], "--seconds=")) arguments.seconds = std::atof(text);
    if (const char* text = value_of(words[i], "--max-drift=")) arguments.max_drift = std::atof(text);
    if (const char* text = value_of(words[i], "--seed=")) arguments.seed = std::strtoull(text, nullptr, 10);
  }
  return arguments;
}

std::deque<Job> make_jobs(std::uint64_t seed, int count, int calls) {
  std::deque<Job> jobs;
  for (int number = 0; number < count; ++number) jobs.push_back(make_job({seed, number, calls}));
  return jobs;
}

// Two sessions on each of four models; of each two, one has a team of two threads.
std::deque<SoakWorker> make_workers(std::uint64_t seed) {
  const std::deque<Job> own = make_jobs(seed, 4, 150), others = make_jobs(seed + 1, 60, 0);
  std::deque<SoakWorker> workers;
  for (int i = 0; i < 8; ++i) workers.emplace_back(own[std::size_t(i / 2)], others, 1 + i % 2);
  return workers;
}

// Lets all workers work and looks at the process ten times a second.
std::vector<Sample> run(std::deque<SoakWorker>& workers, double seconds) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (SoakWorker& worker : workers) threads.emplace_back([&] { worker.work(stop); });
  std::vector<Sample> samples;
  samples.reserve(std::size_t(seconds * 10) + 10);
  const auto start = Clock::now();
  for (double now = 0; now < seconds; now = std::chrono::duration<double>(Clock::now() - start).count()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    samples.push_back(sample_process(now));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return samples;
}

struct Verdict {
  double before, after;  // resident bytes
  int fewest = 1 << 20, most = 0;
  double drift() const { return 100 * (after - before) / before; }
};

Verdict judge(const std::vector<Sample>& samples, double seconds) {
  Verdict verdict{median_resident(samples, 0.2 * seconds, 0.23 * seconds),
                  median_resident(samples, 0.97 * seconds, seconds)};
  for (const Sample& sample : samples) {
    if (sample.seconds < 0.2 * seconds) continue;
    verdict.fewest = std::min(verdict.fewest, sample.threads);
    verdict.most = std::max(verdict.most, sample.threads);
  }
  return verdict;
}

int count_problems(const std::deque<SoakWorker>& workers) {
  int problems = 0;
  for (const SoakWorker& worker : workers) {
    if (worker.problem().empty()) continue;
    ++problems;
    std::printf("WRONG: %s\n", worker.problem().c_str());
  }
  return problems;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = read(count, words);
  std::deque<SoakWorker> workers = make_workers(arguments.seed);
  const std::vector<Sample> samples = run(workers, arguments.seconds);
  const Verdict verdict = judge(samples, arguments.seconds);
  const int problems = count_problems(workers);
  std::int64_t calls = 0;
  for (const SoakWorker& worker : workers) calls += worker.calls();
  std::printf("%lld calls by 8 sessions in %.0f s (seed %llu), %d workers with wrong results\n", (long long)calls,
              arguments.seconds, (unsigned long long)arguments.seed, problems);
  std::printf("resident memory %.1f MiB after a fifth of the time, %.1f MiB at its end: %+.2f %%\n",
              verdict.before / 0x1p20, verdict.after / 0x1p20, verdict.drift());
  std::printf("threads: %d to %d\n", verdict.fewest, verdict.most);
  const bool steady = verdict.drift() <= arguments.max_drift && verdict.fewest == verdict.most;
  return steady && problems == 0 ? 0 : 1;
}
