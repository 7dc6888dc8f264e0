// The activations between the products of a feed-forward layer, against the C library in double.
#include <algorithm>
#include <array>

#include "float_check.hpp"
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

constexpr std::array activations{Activation::gelu, Activation::gelu_tanh, Activation::relu, Activation::silu};

double truth(double x, Activation activation) {
  if (activation == Activation::relu || x == -INFINITY) return std::max(x, 0.0);
  if (activation == Activation::gelu) return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(activation == Activation::silu ? -x : -2 * u));
}

// What the tables promise, in units of the last place. The exponent of the tanh form is rounded several times, and what
// the exponential makes of that grows with it.
double allowed_error(double x, Activation activation) {
  if (activation == Activation::relu) return 0;
  if (activation == Activation::silu) return 5;
  if (activation == Activation::gelu) return 8;
  return 6 + (x < 0 ? 3 * -x * (1.6 + 0.0714 * x * x) : 0);
}

void activate(const KernelTable& table, std::vector<float>& x, Activation activation) {
  const auto count = std::int64_t(x.size());
  table.activate({x.data(), 1, count, count, activation});
}

float activated(const KernelTable& table, float x, Activation activation) {
  table.activate({&x, 1, 1, 1, activation});
  return x;
}

// Every step-th float of both signs, with the largest.
std::vector<float> all_floats(std::uint32_t step) {
  constexpr std::uint32_t infinity = 0x7f800000U;
  std::vector<float> x;
  for (std::uint32_t bits = 0; bits < infinity; bits += step) {
    x.push_back(std::bit_cast<float>(bits));
    x.push_back(-x.back());
  }
  x.push_back(std::numeric_limits<float>::max());
  x.push_back(-x.back());
  return x;
}

// The largest share of the allowed error, infinite for a wrong sign. Results below 1e-36 may be 0.
double largest_share(const KernelTable& table, const std::vector<float>& x, Activation activation) {
  std::vector<float> y = x;
  activate(table, y, activation);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = truth(double(x[i]), activation);
    if (double(y[i]) * right < 0) return INFINITY;
    if (std::fabs(double(y[i]) - right) <= 1e-36) continue;
    largest = std::max(largest, ulp_error(y[i], right) / (allowed_error(double(x[i]), activation) + 0.5));
  }
  return largest;
}

}  // namespace

TEST_CASE("activate: errors over all floats, never a wrong sign") {
  const std::vector<float> x = all_floats(1499);
  for (const auto* table : runnable_tables()) {
    for (const Activation activation : activations) {
      const double share = largest_share(*table, x, activation);
      MESSAGE(std::string(table->isa) << ", activation " << int(activation) << ": " << share << " of what is allowed");
      CHECK(share <= 1);
    }
  }
}

TEST_CASE("activate: the numbers in which models live, densely") {
  std::vector<float> x;
  for (int i = -140000; i <= 140000; ++i) x.push_back(float(i) * 1e-4F + 3e-5F);
  for (const auto* table : runnable_tables()) {
    for (const Activation activation : activations) {
      const std::string isa = table->isa;
      CAPTURE(isa);
      CAPTURE(int(activation));
      CHECK(largest_share(*table, x, activation) <= 1);
    }
  }
}

TEST_CASE("activate: infinities have their limits, NaN stays, zeros are zeros") {
  for (const auto* table : runnable_tables()) {
    for (const Activation activation : activations) {
      const std::string isa = table->isa;
      CAPTURE(isa);
      CAPTURE(int(activation));
      CHECK(activated(*table, INFINITY, activation) == INFINITY);
      CHECK(activated(*table, -INFINITY, activation) == 0);
      CHECK(std::isnan(activated(*table, std::nanf(""), activation)));
      CHECK(activated(*table, 0.0F, activation) == 0);
      CHECK(activated(*table, -0.0F, activation) == 0);
      CHECK(activated(*table, std::numeric_limits<float>::max(), activation) == std::numeric_limits<float>::max());
      CHECK(activated(*table, std::numeric_limits<float>::lowest(), activation) == 0);
      CHECK(activated(*table, 100, activation) == 100);
    }
    CHECK(activated(*table, -3, Activation::none) == -3);
  }
}

TEST_CASE("activate: rows of any width in place, bits that do not depend on the place, nothing between the rows") {
  Random random(51);
  std::vector<float> special = {-INFINITY, -20, -1, -0.0F, 0.25F, 3, INFINITY, std::nanf("")};
  for (const auto* table : runnable_tables()) {
    for (std::int64_t columns = 1; columns <= 70; ++columns) {
      const std::int64_t stride = columns + columns % 3, rows = 3;
      for (const Activation activation : activations) {
        GuardedFloats x(stride * (rows - 1) + columns);
        for (float& v : x) v = random.chance(0.2) ? special[std::size_t(random.below(8))] : random.uniform(-6, 6);
        const std::vector<float> before(x.begin(), x.end());
        table->activate({x.data(), rows, columns, stride, activation});
        for (std::size_t i = 0; i < before.size(); ++i) {
          const bool inside = std::int64_t(i) % stride < columns;
          REQUIRE(same_float(x[std::int64_t(i)], inside ? activated(*table, before[i], activation) : before[i]));
        }
      }
    }
  }
}
