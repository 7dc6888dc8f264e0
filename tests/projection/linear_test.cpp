#include "linear.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "guarded.hpp"
#include "random.hpp"
#include "row_classes.hpp"

using headwise::projection::Linear;
using headwise::projection::LinearCall;
using headwise::projection::LinearShape;
using headwise::projection::SingleThread;

namespace {

struct Case {
  std::vector<float> weight, bias;
  LinearShape shape;

  Case(Random& random, const LinearShape& s) : weight(std::size_t(s.in * s.out)), bias(std::size_t(s.out)), shape(s) {
    random.fill(weight, -1, 1);
    random.fill(bias, -1, 1);
  }
};

// Memory ends at guard pages, so that a kernel that reads or writes a row too many is caught.
void run(const Linear& linear, GuardedFloats& x, std::int64_t rows, GuardedFloats& y) {
  LinearCall call(linear);
  const std::unique_ptr<void, decltype(&std::free)> scratch(
      std::aligned_alloc(64, (linear.scratch_bytes() + 127) / 64 * 64), &std::free);
  const SingleThread guard;
  REQUIRE(call.run(x.data(), rows, y.data(), scratch.get()));
}

double largest_error(const Case& c, GuardedFloats& x, std::int64_t rows, GuardedFloats& y, bool with_bias) {
  double largest = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t o = 0; o < c.shape.row_stride; ++o) {
      double sum = with_bias && o < c.shape.out ? double(c.bias[std::size_t(o)]) : 0;
      for (std::int64_t i = 0; i < c.shape.in && o < c.shape.out; ++i) {
        sum += double(x[r * c.shape.in + i]) * double(c.weight[std::size_t(o * c.shape.in + i)]);
      }
      const double error = std::fabs(double(y[r * c.shape.row_stride + o]) - sum);
      largest = error <= largest ? largest : error;
    }
  }
  return largest;
}

void check(Random& random, const LinearShape& shape, std::int64_t rows, bool with_bias) {
  const Case c(random, shape);
  const Linear linear(c.weight.data(), with_bias ? c.bias.data() : nullptr, shape);
  GuardedFloats x(rows * shape.in);
  GuardedFloats y(rows * shape.row_stride);
  random.fill(x, -1, 1);
  run(linear, x, rows, y);
  CAPTURE(shape.in);
  CAPTURE(shape.out);
  CAPTURE(rows);
  CHECK(largest_error(c, x, rows, y, with_bias) <= 0x1p-23 * double(shape.in + 1));
}

}  // namespace

TEST_CASE("row classes: any count is cut into classes, and no rest is left that costs as much as 8") {
  using namespace headwise::projection;
  for (std::int64_t rows = 1; rows <= 1000; ++rows) {
    std::int64_t left = rows;
    std::int64_t calls = 0;
    while (left > 0) {
      left -= exact_classes[next_row_class(exact_classes, left)];
      REQUIRE((left == 0 || left >= 8 || rows < 16));
      ++calls;
    }
    REQUIRE(left == 0);
    REQUIRE(calls <= 7 + rows / 128);
  }
}

TEST_CASE("row classes: padded classes leave at most one call that is not full") {
  using namespace headwise::projection;
  for (std::int64_t rows = 1; rows <= 1000; ++rows) {
    std::int64_t left = rows;
    while (left > 0) {
      const std::int64_t size = padded_classes[next_row_class(padded_classes, left)];
      REQUIRE((left >= size || left < padded_classes.front()));
      left -= size;
    }
  }
}

TEST_CASE("Linear: odd and even sizes, with and without bias, with padded rows") {
  Random random(1);
  for (const std::int64_t in : {1, 3, 36, 127, 128, 200, 530}) {
    for (const std::int64_t out : {1, 5, 16, 17, 64, 130})
      check(random, {in, out, out}, 1 + (in + out) % 40, in % 2 == 0);
  }
  check(random, {64, 192, 208}, 20, true);
  check(random, {7, 512, 528}, 3, false);
  check(random, {384, 1152, 1152}, 150, true);
}

TEST_CASE("Linear: a row's bits do not depend on how many rows run with it") {
  Random random(2);
  for (const LinearShape shape : {LinearShape{48, 40, 40}, LinearShape{384, 384, 384}, LinearShape{128, 512, 528}}) {
    const Case c(random, shape);
    const Linear linear(c.weight.data(), c.bias.data(), shape);
    constexpr std::int64_t most = 300;
    GuardedFloats x(most * shape.in);
    GuardedFloats all(most * shape.row_stride);
    random.fill(x, -1, 1);
    run(linear, x, most, all);
    for (const std::int64_t rows : {1, 2, 3, 7, 8, 9, 13, 14, 15, 16, 17, 32, 33, 64, 100, 128, 129, 255}) {
      GuardedFloats some(rows * shape.row_stride);
      run(linear, x, rows, some);
      CAPTURE(rows);
      CHECK(std::memcmp(some.data(), all.data(), sizeof(float) * std::size_t(rows * shape.row_stride)) == 0);
    }
  }
}

TEST_CASE("Linear: oneDNN's reference kernels are not used") {
  Random random(3);
  const Case c(random, {384, 1152, 1152});
  const std::string name = Linear(c.weight.data(), nullptr, c.shape).implementation();
  MESSAGE("projections run on " << name);
  CHECK(name.find("ref") == std::string::npos);
}
