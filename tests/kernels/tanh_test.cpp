// The hyperbolic tangent inside the soft-cap, against the one of the C library in double.
#include <algorithm>

#include "float_check.hpp"
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

// The largest error over every step-th float of both signs, up to infinity.
double largest_error(const KernelTable& table, std::uint32_t step) {
  constexpr std::uint32_t infinity = 0x7f800000U;
  constexpr std::size_t batch = 4096;
  std::vector<float> x(batch);
  std::vector<float> y(batch);
  double largest = 0;
  for (std::uint32_t bits = 0; bits < infinity;) {
    for (float& value : x) {
      const float size = std::bit_cast<float>(std::min(bits, infinity));
      value = bits % 2 == 0 ? size : -size;
      bits = std::min(bits + step, infinity);
    }
    table.tanh(x.data(), y.data(), std::int64_t(batch));
    for (std::size_t i = 0; i < batch; ++i) largest = std::max(largest, ulp_error(y[i], std::tanh(double(x[i]))));
  }
  return largest;
}

float tanh_of(const KernelTable& table, float x) {
  float y = 0;
  table.tanh(&x, &y, 1);
  return y;
}

}  // namespace

TEST_CASE("tanh: at most 3 ULP over all floats") {
  for (const auto* table : runnable_tables()) {
    const double error = largest_error(*table, 1499);
    MESSAGE(std::string(table->isa) << ": largest error " << error << " ULP");
    CHECK(error <= 3);
  }
}

TEST_CASE("tanh: zeros keep their sign, infinities are ±1, NaN stays") {
  for (const auto* table : runnable_tables()) {
    CHECK(same_float(tanh_of(*table, 0.0F), 0.0F));
    CHECK(same_float(tanh_of(*table, -0.0F), -0.0F));
    CHECK(tanh_of(*table, INFINITY) == 1);
    CHECK(tanh_of(*table, -INFINITY) == -1);
    CHECK(tanh_of(*table, 3e38F) == 1);
    CHECK(std::isnan(tanh_of(*table, std::nanf(""))));
  }
}

TEST_CASE("tanh: the two branches meet without a step back") {
  for (const auto* table : runnable_tables()) {
    float before = 0;
    for (float x = 0.59F; x < 0.61F; x = std::nextafter(x, 1.0F)) {
      const float y = tanh_of(*table, x);
      REQUIRE(y >= before - 2 * 0x1p-24F);
      before = y;
      REQUIRE(same_float(tanh_of(*table, -x), -y));
    }
  }
}
