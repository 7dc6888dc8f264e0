// What happens to a whole process, or is set for it: forks, and the modes of its floating-point units (C01, C16).
#include <doctest/doctest.h>
#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "models.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace headwise;

namespace {

const std::vector<std::int64_t> lengths{5, 130, 64, 17, 200, 65};

// A model on enough tokens for several threads, and the bits of one.
struct Workload {
  ModelFolder folder;
  Encoder encoder = folder.load();
  Tokens tokens{lengths, 50};
  EncoderResults wanted = run(encoder, tokens, {.threads = 1});

  bool is_right(EncoderSession& session) const {
    EncoderResults results(encoder.config(), tokens);
    session.run(tokens.inputs(), results.outputs());
    return equal_bits(results, wanted);
  }
  bool is_right(const SessionOptions& options) const {
    EncoderSession session(encoder, options);
    return is_right(session);
  }
};

// Whether a child finds everything in order, in ten seconds.
bool in_child(const std::function<bool()>& is_fine) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    ::_exit(is_fine() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("C01: an encoder works in a child after a call, in its session, in a new one and with an executor") {
  const Workload work;
  const auto executor = std::make_shared<Executor>(2);
  EncoderSession session(work.encoder, {.threads = 4, .schedule = Schedule::wide});
  EncoderSession shared(work.encoder, {.executor = executor});
  CHECK(work.is_right(session));
  CHECK(work.is_right(shared));
  CHECK(in_child([&] { return work.is_right(session) && work.is_right(shared); }));
  for (const Schedule schedule : {Schedule::wide, Schedule::deep}) {
    CHECK(in_child([&] { return work.is_right({.threads = 3, .schedule = schedule}); }));
  }
  CHECK(in_child([&] { return in_child([&] { return work.is_right(session); }) && work.is_right(session); }));
  CHECK(work.is_right(session));
  CHECK(work.is_right(shared));
}

TEST_CASE("C16: an encoder keeps the host's rounding mode, which changes no bit") {
  const Workload work;
  const int before = fegetround();
  for (const int mode : {FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}) {
    fesetround(mode);
    bool right = work.is_right({.executor = std::make_shared<Executor>(2)});
    for (const int threads : {1, 2, 4}) right = work.is_right({.threads = threads}) && right;
    const bool same_model = equal_bits(run(work.folder.load(), work.tokens, {.threads = 2}), work.wanted);
    const int after = fegetround();
    fesetround(before);
    CAPTURE(mode);
    CHECK(right);
    CHECK(same_model);
    CHECK(after == mode);
  }
}

#if defined(__SSE2__)
TEST_CASE("C16: an encoder keeps flushing to zero and traps of the host, which change no bit") {
  const Workload work;
  const unsigned before = _mm_getcsr();
  constexpr unsigned standard = 0x1F80, flush = 0x8000, zeros = 0x0040, trap_invalid = 0x0080, trap_inexact = 0x1000;
  for (const unsigned mode : {standard | flush | zeros, standard & ~(trap_invalid | trap_inexact)}) {
    for (const int threads : {1, 2, 4}) {
      EncoderSession session(work.encoder, {.threads = threads});
      EncoderResults results(work.encoder.config(), work.tokens);
      _mm_setcsr(mode);
      session.run(work.tokens.inputs(), results.outputs());
      const unsigned after = _mm_getcsr();
      _mm_setcsr(before);
      CHECK(after == mode);
      CHECK(equal_bits(results, work.wanted));
    }
  }
}
#endif
