// The exponential inside the kernels, against the one of the C library in double.
#include <bit>
#include <limits>

#include "float_check.hpp"
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

constexpr float lowest = -87.33F;

// The largest error over every step-th float from −0.0 down to the lowest.
double largest_error(const KernelTable& table, std::uint32_t step) {
  constexpr std::size_t batch = 4096;
  std::vector<float> x(batch);
  std::vector<float> y(batch);
  double largest = 0;
  for (std::uint32_t bits = std::bit_cast<std::uint32_t>(-0.0F); bits < std::bit_cast<std::uint32_t>(lowest);) {
    for (float& value : x)
      value = std::bit_cast<float>(std::min(bits, std::bit_cast<std::uint32_t>(lowest))), bits += step;
    table.exp(x.data(), y.data(), batch);
    for (std::size_t i = 0; i < batch; ++i) largest = std::max(largest, ulp_error(y[i], std::exp(double(x[i]))));
  }
  return largest;
}

float exp_of(const KernelTable& table, float x) {
  float y = 0;
  table.exp(&x, &y, 1);
  return y;
}

}  // namespace

TEST_CASE("exp: at most 2 ULP over its whole range") {
  for (const auto* table : runnable_tables()) {
    const double error = largest_error(*table, 499);
    MESSAGE(std::string(table->isa) << ": largest error " << error << " ULP");
    CHECK(error <= 2);
  }
}

TEST_CASE("exp: the ends are exact") {
  for (const auto* table : runnable_tables()) {
    if (table->fma_burst == nullptr) continue;  // the reference keeps subnormal results
    CHECK(exp_of(*table, 0) == 1);
    CHECK(exp_of(*table, -INFINITY) == 0);
    CHECK(exp_of(*table, -88) < std::numeric_limits<float>::min());
    CHECK(exp_of(*table, -88.03F) == 0);
    CHECK(exp_of(*table, -3e38F) == 0);
    CHECK(std::isnan(exp_of(*table, std::nanf(""))));
  }
}

TEST_CASE("exp: a number's result does not depend on its neighbours or its lane") {
  const std::vector<float> xs = {0, -0.5F, -1, -10, -40, -80, -86.9F, -87.2F, -100, -INFINITY, std::nanf("")};
  for (const auto* table : runnable_tables()) {
    for (const float x : xs) {
      const float alone = exp_of(*table, x);
      for (std::size_t lane = 0; lane < 17; ++lane) {
        std::vector<float> mixed(17);
        for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = xs[(i * 3 + lane) % xs.size()];
        mixed[lane] = x;
        table->exp(mixed.data(), mixed.data(), 17);
        CHECK(std::bit_cast<std::uint32_t>(mixed[lane]) == std::bit_cast<std::uint32_t>(alone));
      }
    }
  }
}
