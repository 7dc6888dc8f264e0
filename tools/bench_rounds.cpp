#include "bench_rounds.hpp"

#include <csignal>
#include <headwise/limits.hpp>
#include <thread>

#include "statistics.hpp"
#include "timing.hpp"

namespace headwise::tools {
namespace {

// Of one round; enough for calls of a microsecond in rounds of a second.
constexpr std::size_t most_calls = 1'000'000;
// Of each measurement of the peak: the median of 15 bursts of about a millisecond.
constexpr double peak_seconds = 0.015;

volatile std::sig_atomic_t interrupted = 0;

// The first interrupt is noted, the next one ends the process as ever.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, &before_);
  }
  ~Interrupts() { sigaction(SIGINT, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  struct sigaction before_ {};
};

class Rounds {
 public:
  Rounds(const std::vector<BenchCase>& cases, BenchModels& models, const BenchEffort& effort, const Console& console)
      : cases_(cases),
        models_(models),
        effort_(effort),
        bar_(console, "measuring"),
        run_{{cases.size(), BenchTimes{}}, true} {}

  BenchRun all() {
    const Interrupts watch;
    make_calls();
    for (int round = 0; round < effort_.rounds; ++round) {
      for (std::size_t i = 0; i < cases_.size() && interrupted == 0; ++i) visit(i, round);
    }
    run_.complete = interrupted == 0;
    return std::move(run_);
  }

 private:
  void make_calls() {
    for (const BenchCase& what : cases_) {
      if (interrupted == 0) calls_.push_back(std::make_unique<BenchCall>(what, models_.model(what)));
    }
  }

  // Warm-up calls also bring back the threads and the caches that the case before left otherwise.
  void visit(std::size_t index, int round) {
    BenchCall& call = *calls_[index];
    BenchTimes& times = run_.times[index];
    for (int i = 0; i < effort_.warmup && interrupted == 0; ++i) call.run();
    time_slice(call, times);
    if (times.plan.steps.empty()) times.plan = call.explain();
    measure_peak(index);
    bar_.update(static_cast<std::uint64_t>(round) * cases_.size() + index + 1,
                static_cast<std::uint64_t>(effort_.rounds) * cases_.size());
  }

  void time_slice(BenchCall& call, BenchTimes& times) {
    const double slice = effort_.min_time / effort_.rounds;
    std::vector<double> seconds;
    double spent = 0;
    while (interrupted == 0 && (seconds.empty() || (spent < slice && seconds.size() < most_calls))) {
      seconds.push_back(seconds_of([&] { call.run(); }));
      spent += seconds.back();
    }
    if (seconds.empty()) return;
    times.calls.insert(times.calls.end(), seconds.begin(), seconds.end());
    times.rounds.push_back(median(std::move(seconds)));
  }

  // Right behind the calls that it is held against. The reference kernel has no peak, and neither have more threads
  // than processors, or than OMP_THREAD_LIMIT lets start.
  void measure_peak(std::size_t index) {
    const BenchCase& what = cases_[index];
    const bool fits = static_cast<unsigned>(what.threads) <= std::thread::hardware_concurrency();
    if (interrupted != 0 || !fits || what.isa == "reference") return;
    try {
      run_.times[index].peaks.push_back(measure_fma_peak({what.isa, what.threads, peak_seconds}));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
    }
  }

  const std::vector<BenchCase>& cases_;
  BenchModels& models_;
  const BenchEffort& effort_;
  ProgressBar bar_;
  std::vector<std::unique_ptr<BenchCall>> calls_;
  BenchRun run_;
};

}  // namespace

BenchRun measure_cases(const std::vector<BenchCase>& cases, BenchModels& models, const BenchEffort& effort,
                       const Console& console) {
  return Rounds(cases, models, effort, console).all();
}

}  // namespace headwise::tools
