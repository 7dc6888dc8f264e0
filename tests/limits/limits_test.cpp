// That the measurements run everywhere and refuse what makes no sense. How good the figures are is not tested here, but
// held against other programs in perf/README.md.
#include "headwise/limits.hpp"

#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "attend.hpp"
#include "expect_error.hpp"
#include "headwise/attention.hpp"

using namespace headwise;

namespace {

constexpr double brief = 0.003;  // seconds

std::vector<std::string> measured_isas() {
  std::vector<std::string> names;
  for (const IsaInfo& isa : list_isas()) {
    if (isa.present && isa.name != "reference") names.push_back(isa.name);
  }
  return names;
}

void expect_refused(const LimitOptions& options, const char* part) {
  expect_error(ErrorCode::invalid_argument, {part}, [&] { measure_fma_peak(options); });
  expect_error(ErrorCode::invalid_argument, {part}, [&] { measure_read_bandwidth(4096, options); });
}

}  // namespace

TEST_CASE("limits: every ISA of this machine has a peak and a bandwidth, for one thread and two") {
  for (const std::string& isa : measured_isas()) {
    for (const int threads : {1, 2}) {
      CAPTURE(isa);
      const LimitOptions options{isa, threads, brief};
      // Between what an abacus and what no CPU of today does.
      const double peak = measure_fma_peak(options), bandwidth = measure_read_bandwidth(1 << 16, options);
      CHECK((peak > 1e6 && peak < 1e14));
      CHECK((bandwidth > 1e6 && bandwidth < 1e14));
    }
  }
}

TEST_CASE("limits: AVX-512 does at least what SSE2 does") {
  const auto here = [](const char* isa) {
    const kernels::KernelTable* table = kernels::find_kernels(isa);
    return table != nullptr && kernels::cpu_supports(*table);
  };
  if (!here("avx512") || !here("sse2")) {
    MESSAGE("skipped: not both are here");
    return;
  }
  CHECK(measure_fma_peak({"avx512", 1, 0.03}) >= measure_fma_peak({"sse2", 1, 0.03}));
}

TEST_CASE("limits: the read kernel sees every byte of its buffer, on every pass") {
  for (const std::string& isa : measured_isas()) {
    const kernels::KernelTable& table = *kernels::find_kernels(isa.c_str());
    CAPTURE(isa);
    Tensor buffer({1024});
    std::int32_t expected = 0;
    for (int bit = 0; bit < 31; ++bit) {
      const std::int32_t word = std::int32_t{1} << bit;
      std::memcpy(buffer.data() + bit * 33 + bit % 5, &word, sizeof word);
      expected |= word;
    }
    float sink[16] = {};
    CHECK(table.read_burst(buffer.data(), 4096, 3, sink) == 3 * 4096);
    std::int32_t seen = 0, words[16];
    std::memcpy(words, sink, sizeof sink);
    for (const std::int32_t word : words) seen |= word;
    CHECK(seen == expected);
  }
}

TEST_CASE("limits: options out of range are refused") {
  for (const int threads : {-1, 0, Session::max_threads + 1}) expect_refused({"", threads, brief}, "threads");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double seconds : {-1.0, 0.0, 61.0, nan}) expect_refused({"", 1, seconds}, "seconds");
  expect_refused({"avx1024", 1, brief}, "avx1024");
  for (const std::int64_t bytes : {-1, 0, 1023})
    expect_error(ErrorCode::invalid_argument, {"bytes_per_thread"}, [&] { measure_read_bandwidth(bytes); });
  expect_error(ErrorCode::unsupported, {"reference"}, [] { measure_fma_peak({"reference", 1, brief}); });
}

TEST_CASE("limits: a buffer beyond all memory is an error, also when a thread of the team meets it") {
  const std::int64_t huge = std::int64_t{1} << 60;
  expect_error(ErrorCode::out_of_memory, {"cannot allocate"}, [&] { measure_read_bandwidth(huge, {"", 2, brief}); });
}

TEST_CASE("limits: fewer threads than asked for are an error and not a lower figure") {
  std::string message;
#pragma omp parallel num_threads(2)
#pragma omp master
  try {
    measure_fma_peak({"", 2, brief});
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(message.find("wanted 2 threads") != std::string::npos);
  CHECK(message.find("parallel region") != std::string::npos);
}
