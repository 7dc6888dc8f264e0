// Expected numbers come from an independent numpy script; its formulas stand beside them.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "headwise/positions.hpp"

using namespace headwise;

namespace {

void check_close(const std::vector<double>& actual, const std::vector<double>& expected) {
  REQUIRE(actual.size() == expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(actual[i] - expected[i]) <= 1e-14 * std::fabs(expected[i]));
  }
}

RotaryConfig scaled(std::int64_t dim, double base, RotaryScaling scaling, double factor) {
  return {.dim = dim, .base = base, .scaling = scaling, .factor = factor};
}

RotaryConfig trained(RotaryConfig config, std::int64_t positions) {
  config.original_positions = positions;
  return config;
}

}  // namespace

TEST_CASE("frequencies: none, linear, NTK") {
  // base**(-arange(0, dim, 2) / dim); the same / 4; (base * 4**(8 / 6))**(-arange(0, dim, 2) / dim)
  check_close(rotary_frequencies({.dim = 8}), {1.0, 0.1, 0.01, 0.001});
  check_close(rotary_frequencies(scaled(8, 10000, RotaryScaling::linear, 4)), {0.25, 0.025, 0.0025, 0.00025});
  check_close(rotary_frequencies(scaled(8, 10000, RotaryScaling::ntk, 4)),
              {1.0, 0.06299605249474366, 0.003968502629920499, 0.00025});
}

TEST_CASE("frequencies: the smallest widths") {
  CHECK(rotary_frequencies({}).empty());
  for (const RotaryScaling scaling : {RotaryScaling::none, RotaryScaling::ntk}) {
    check_close(rotary_frequencies(scaled(2, 10000, scaling, 8)), {1.0});
  }
}

TEST_CASE("frequencies: YaRN") {
  // pair(turns) = dim * log(original / (turns * 2 * pi)) / (2 * log(base))
  // low, high = max(floor(pair(beta_fast)), 0), min(ceil(pair(beta_slow)), dim - 1); high += 0.001 when equal
  // ramp = clip((arange(dim / 2) - low) / (high - low), 0, 1); f / factor * ramp + f * (1 - ramp)
  // Here low, high = 2, 6; 3, 6; 0, 1.
  check_close(rotary_frequencies(trained(scaled(16, 10000, RotaryScaling::yarn, 4), 4096)),
              {1.0, 0.31622776601683794, 0.1, 0.02569350598886808, 0.00625, 0.001383496476323666, 0.00025,
               7.905694150420948e-05});
  check_close(rotary_frequencies(trained(scaled(16, 500000, RotaryScaling::yarn, 16), 32768)),
              {1.0, 0.19392274474868576, 0.03760603093086393, 0.007292664737217109, 0.000972271824131503,
               0.00010284306587857774, 3.3239349355906177e-06, 6.445865860757787e-07});
  RotaryConfig narrow = trained(scaled(4, 1e6, RotaryScaling::yarn, 8), 100);
  narrow.beta_fast = 4;
  narrow.beta_slow = 2;
  check_close(rotary_frequencies(narrow), {1.0, 0.000125});
}

TEST_CASE("frequencies: YaRN whose blend lies outside the pairs") {
  // Nearly no turns over the trained length: all but the first pair stretch. Very many: none does.
  check_close(rotary_frequencies(trained(scaled(4, 100, RotaryScaling::yarn, 8), 1)), {1.0, 0.0125});
  check_close(rotary_frequencies(trained(scaled(4, 100, RotaryScaling::yarn, 8), INT64_MAX)), {1.0, 0.1});
}

TEST_CASE("frequencies: Llama 3") {
  // wavelength = 2 * pi / f; above original / low: f / factor; below original / high: f; between them
  // s = (original / wavelength - low) / (high - low): (1 - s) * f / factor + s * f
  check_close(rotary_frequencies(trained(scaled(16, 500000, RotaryScaling::llama3, 8), 8192)),
              {1.0, 0.19392274474868576, 0.03760603093086393, 0.007292664737217109, 0.0005248461609929547,
               3.428102195952591e-05, 6.647869871181235e-06, 1.2891731721515574e-06});
  check_close(rotary_frequencies(trained(scaled(32, 500000, RotaryScaling::llama3, 32), 8192)),
              {1.0, 0.44036660267178046, 0.19392274474868576, 0.08539710028576561, 0.03760603093086393,
               0.016560440080994446, 0.007292664737217109, 0.003211445994752591, 0.00042955679655936815,
               1.9461638184831125e-05, 8.570255489881478e-06, 3.7740542941082826e-06, 1.6619674677953088e-06,
               7.318749675440419e-07, 3.2229329303788936e-07, 1.4192720251899592e-07});
}

TEST_CASE("magnitude: only YaRN has one") {
  // 0.1 * log(factor) + 1
  RotaryConfig yarn = trained(scaled(16, 10000, RotaryScaling::yarn, 4), 4096);
  CHECK(rotary_magnitude(yarn) == doctest::Approx(1.138629436111989).epsilon(1e-15));
  yarn.factor = 16;
  CHECK(rotary_magnitude(yarn) == doctest::Approx(1.2772588722239782).epsilon(1e-15));
  yarn.factor = 1;
  CHECK(rotary_magnitude(yarn) == 1);
  yarn.attention_factor = 0.75;
  CHECK(rotary_magnitude(yarn) == 0.75);
  yarn.dim = 0;
  CHECK(rotary_magnitude(yarn) == 1);
  CHECK(rotary_magnitude(scaled(16, 10000, RotaryScaling::linear, 4)) == 1);
}
