// C16: headwise leaves every setting of its host as it was, and computes the same bits under all of them.
#include <doctest/doctest.h>
#include <fenv.h>
#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clocale>
#include <cstring>
#include <filesystem>
#include <locale>
#include <string>
#include <thread>
#include <vector>

#include "headwise/headwise.hpp"
#include "large_layer.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace headwise;

namespace {

// Rounding, flushing, traps and flags, as the processor keeps them for a thread.
std::uint64_t float_register() {
#if defined(__SSE2__)
  return _mm_getcsr();
#elif defined(__aarch64__)
  std::uint64_t mode, flags;
  asm volatile("mrs %0, fpcr\n mrs %1, fpsr" : "=r"(mode), "=r"(flags));
  return mode;  // the flags may be raised: nothing traps by them
#else
  return 0;
#endif
}

// What belongs to a thread.
struct ThreadState {
  std::uint64_t floats = float_register();
  int rounding = fegetround();
  sigset_t signals{};
  cpu_set_t affinity{};
  int scheduler = sched_getscheduler(0);
  ThreadState() {
    pthread_sigmask(SIG_SETMASK, nullptr, &signals);
    sched_getaffinity(0, sizeof affinity, &affinity);
  }
  bool operator==(const ThreadState& other) const {
    return floats == other.floats && rounding == other.rounding && scheduler == other.scheduler &&
           std::memcmp(&signals, &other.signals, sizeof signals) == 0 && CPU_EQUAL(&affinity, &other.affinity);
  }
};

mode_t file_mask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

std::vector<void*> signal_handlers() {
  std::vector<void*> handlers;
  for (int number = 1; number < 32; ++number) {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    handlers.push_back(reinterpret_cast<void*>(action.sa_handler));
  }
  return handlers;
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) all.emplace_back(*variable);
  return all;
}

struct Settings {
  ThreadState caller{};
  std::vector<ThreadState> team = std::vector<ThreadState>(3);  // of the host's own teams
  std::string locale = setlocale(LC_ALL, nullptr);
  std::string cxx_locale = std::locale().name();
  std::string folder = std::filesystem::current_path().string();
  mode_t files = file_mask();
  std::vector<void*> handlers = signal_handlers();
  std::vector<std::string> variables = environment();
  int omp_threads = omp_get_max_threads(), dynamic = omp_get_dynamic(), levels = omp_get_max_active_levels();

  Settings() {
#pragma omp parallel num_threads(3)
    team[static_cast<std::size_t>(omp_get_thread_num())] = ThreadState();
  }
  bool operator==(const Settings&) const = default;
};

void run_all(const LargeLayer& layer, const SessionOptions& options) {
  CHECK(layer.run_right(options));
  Session session(layer.model, options);
  Tensor y(layer.x.shape());
  CHECK(session.profile(layer.inputs(), {.output = y}, {}).seconds > 0);
  CHECK(layer.is_right(y));
  CHECK_THROWS_AS(session.run(layer.inputs(), {.output = Tensor({1, 2, 3})}), Error);
}

void check_settings() {
  feclearexcept(FE_ALL_EXCEPT);
  const Settings before;
  const LargeLayer layer;
  CHECK(Settings() == before);
  const auto executor = std::make_shared<Executor>(3);
  for (const int threads : {1, 2, 3}) {
    run_all(layer, {.threads = threads, .schedule = Schedule::wide});
    run_all(layer, {.threads = threads, .schedule = Schedule::deep});
    run_all(layer, {.threads = threads, .executor = executor});
    CHECK(Settings() == before);
  }
  CHECK_THROWS_AS(Session(layer.model, {.threads = -1}), Error);
  CHECK(thread_limits().threads > 0);
  CHECK(Settings() == before);
}

// Sets a mode of the calling thread for the time of a test.
struct Rounding {
  int before = fegetround();
  explicit Rounding(int mode) { fesetround(mode); }
  ~Rounding() { fesetround(before); }
};

}  // namespace

TEST_CASE("C16: no setting changes through a run, a profile, an error or a model, with any kind of team") {
  // On a thread of its own, whose team is new and has raised no flags; its threads may come anew with raised ones of
  // the caller's otherwise, since OpenMP ends those that a smaller team has no use for.
  std::thread(check_settings).join();
}

TEST_CASE("C16: subnormal numbers are there for the host after a run, on its thread and in its teams") {
  const LargeLayer layer;
  CHECK(layer.run_right({.threads = 4}));
  int fine = 0;
#pragma omp parallel num_threads(4) reduction(+ : fine)
  {
    volatile double small = 1e-310;
    volatile float single = 1e-40F;
    fine += small * 1.0 != 0 && single * 1.0F != 0 ? 1 : 0;
  }
  CHECK(fine == 4);
}

TEST_CASE("C16: the host's rounding mode is kept, and changes no bit") {
  const LargeLayer layer;
  const AttentionWeights weights = random_weights(LargeLayer::config(layer.x.shape()), 1);
  const auto executor = std::make_shared<Executor>(2);
  for (const int mode : {FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}) {
    const Rounding rounding(mode);
    for (const int threads : {1, 2, 4}) CHECK(layer.run_right({.threads = threads}));
    CHECK(layer.run_right({.executor = executor}));
    CHECK(layer.run_right({.executor = std::make_shared<Executor>(2)}));
    const MultiHeadAttention made_so(random_weights(weights.config, 1));
    Tensor y(layer.x.shape());
    Session(made_so, {.threads = 2}).run(layer.inputs(), {.output = y});
    CHECK(layer.is_right(y));
    CHECK(fegetround() == mode);
  }
}

#if defined(__SSE2__)
TEST_CASE("C16: flushing to zero and traps of the host are kept, and change no bit") {
  LargeLayer layer;
  for (std::int64_t i = 0; i < layer.x.size(); ++i) layer.x.data()[i] *= 1e-38F;  // subnormal numbers on the way
  Session(layer.model, {.threads = 1}).run(layer.inputs(), {.output = layer.expected});
  Tensor y(layer.x.shape());
  const unsigned before = _mm_getcsr();
  constexpr unsigned standard = 0x1F80, flush = 0x8000, zeros = 0x0040, trap_invalid = 0x0080, trap_inexact = 0x1000;
  for (const unsigned mode : {standard | flush | zeros, standard & ~(trap_invalid | trap_inexact)}) {
    for (const int threads : {1, 2, 4}) {
      Session session(layer.model, {.threads = threads});
      _mm_setcsr(mode);
      session.run(layer.inputs(), {.output = y});
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      CHECK(after == mode);
      CHECK(layer.is_right(y));
    }
  }
}
#endif
