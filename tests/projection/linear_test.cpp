#include <array>
#include <cmath>
#include <cstring>

#include "linear_case.hpp"
#include "row_classes.hpp"

using headwise::projection::LinearPart;

namespace {

bool same_rows(GuardedFloats& a, GuardedFloats& b, std::int64_t rows, const LinearShape& shape) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t at = r * shape.row_stride;
    if (std::memcmp(&a[at], &b[at], sizeof(float) * std::size_t(shape.out)) != 0) return false;
  }
  return true;
}

double largest_error(const Case& c, GuardedFloats& x, std::int64_t rows, GuardedFloats& y, bool with_bias) {
  double largest = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t o = 0; o < c.shape.out; ++o) {
      double sum = with_bias ? double(c.bias[std::size_t(o)]) : 0;
      for (std::int64_t i = 0; i < c.shape.in; ++i) {
        sum += double(x[r * c.shape.in + i]) * double(c.weight[std::size_t(o * c.shape.in + i)]);
      }
      const double error = std::fabs(double(y[r * c.shape.row_stride + o]) - sum);
      largest = error <= largest ? largest : error;
    }
  }
  return largest;
}

void check(Random& random, const LinearShape& shape, std::int64_t rows, bool with_bias,
           const kernels::KernelTable* product) {
  const Case c(random, shape);
  const Linear linear(c.weight.data(), with_bias ? c.bias.data() : nullptr, shape, product);
  GuardedFloats x(rows * shape.in);
  GuardedFloats y(rows * shape.row_stride);
  random.fill(x, -1, 1);
  run(linear, x, rows, y);
  CAPTURE(shape.in);
  CAPTURE(shape.out);
  CAPTURE(rows);
  CAPTURE(name_of(product));
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
  for (const auto* product : products()) {
    for (const std::int64_t in : {1, 3, 36, 127, 128, 200, 530}) {
      for (const std::int64_t out : {1, 5, 16, 17, 64, 130})
        check(random, {in, out, out}, 1 + (in + out) % 40, in % 2 == 0, product);
    }
    check(random, {64, 192, 208}, 20, true, product);
    check(random, {7, 512, 528}, 3, false, product);
    check(random, {384, 1152, 1152}, 150, true, product);
    check(random, {1000, 70, 70}, 13, true, product);
  }
}

TEST_CASE("Linear: a row's bits do not depend on how many rows run with it") {
  Random random(2);
  for (const auto* product : products()) {
    for (const LinearShape shape : {LinearShape{48, 40, 40}, LinearShape{384, 384, 384}, LinearShape{128, 512, 528}}) {
      const Case c(random, shape);
      const Linear linear(c.weight.data(), c.bias.data(), shape, product);
      constexpr std::int64_t most = 300;
      GuardedFloats x(most * shape.in);
      GuardedFloats all(most * shape.row_stride);
      random.fill(x, -1, 1);
      run(linear, x, most, all);
      for (const std::int64_t rows : {1, 2, 3, 7, 8, 9, 13, 14, 15, 16, 17, 32, 33, 64, 100, 128, 129, 255}) {
        GuardedFloats some(rows * shape.row_stride);
        run(linear, x, rows, some);
        CAPTURE(rows);
        CAPTURE(name_of(product));
        CHECK(same_rows(some, all, rows, shape));
      }
    }
  }
}

TEST_CASE("Linear: what lies between the rows is left alone by the kernels") {
  Random random(4);
  for (const auto* product : products()) {
    if (product == nullptr) continue;
    const LinearShape shape{33, 70, 80};
    const Case c(random, shape);
    GuardedFloats x(5 * shape.in);
    GuardedFloats y(5 * shape.row_stride);
    random.fill(x, -1, 1);
    for (std::int64_t i = 0; i < 5 * shape.row_stride; ++i) y[i] = 7;
    run(Linear(c.weight.data(), c.bias.data(), shape, product), x, 5, y);
    for (std::int64_t r = 0; r < 5; ++r) {
      for (std::int64_t o = shape.out; o < shape.row_stride; ++o) REQUIRE(y[r * shape.row_stride + o] == 7);
    }
  }
}

TEST_CASE("Linear: parts one after the other, and columns of them alone, give the bits of products of their own") {
  Random random(5);
  for (const auto* product : products()) {
    const LinearShape shape{100, 150, 150};
    const Case c(random, shape);
    const auto part = [&](std::int64_t first, std::int64_t out) {
      return LinearPart{c.weight.data() + first * shape.in, c.bias.data() + first, out};
    };
    const std::array parts{part(0, 48), part(48, 53), part(101, 49)};
    const Linear joined(parts, shape, product);
    GuardedFloats x(9 * shape.in);
    GuardedFloats all(9 * shape.out);
    random.fill(x, -1, 1);
    run(joined, x, 9, all);
    GuardedFloats whole(9 * shape.out);
    run(Linear(c.weight.data(), c.bias.data(), shape, product), x, 9, whole);
    CHECK(same_rows(all, whole, 9, shape));
    for (std::int64_t first = 0; first < 150; ++first) {
      const LinearShape some{shape.in, 150 - first, 150 - first};
      const auto columns = joined.columns(first, some);
      CHECK(columns.has_value() == (product != nullptr && first % product->panel == 0));
      if (!columns) continue;
      GuardedFloats y(9 * some.out);
      run(*columns, x, 9, y);
      for (std::int64_t i = 0; i < 9 * some.out; ++i)
        REQUIRE(y[i] == all[i / some.out * shape.out + first + i % some.out]);
    }
  }
}

// All parts of the columns, the last one first, into rows that hold something else before.
void run_in_parts(const Linear& linear, GuardedFloats& x, std::int64_t rows, GuardedFloats& y, std::int64_t parts) {
  LinearCall call(linear);
  for (std::int64_t i = 0; i < rows * linear.shape().row_stride; ++i) y[i] = -7;
  for (std::int64_t p = parts - 1; p >= 0; --p) {
    REQUIRE(call.run({x.data(), rows, y.data()}, {p, parts}, nullptr));
  }
}

// Every way to run a product in groups of columns.
void check_parts(Random& random, const kernels::KernelTable* product, kernels::Activation activation) {
  const LinearShape shape{70, 391, 391, activation};
  const Case c(random, shape);
  const Linear linear(c.weight.data(), c.bias.data(), shape, product);
  GuardedFloats x(5 * shape.in), whole(5 * shape.out), y(5 * shape.out);
  random.fill(x, -1, 1);
  run(linear, x, 5, whole);
  CHECK(linear.max_parts() == (391 + product->panel - 1) / product->panel);
  for (std::int64_t parts = 1; parts <= linear.max_parts(); ++parts) {
    CAPTURE(parts);
    run_in_parts(linear, x, 5, y, parts);
    CHECK(same_rows(y, whole, 5, shape));
  }
}

TEST_CASE("Linear: groups of columns run apart give the bits of all together, with every activation") {
  using kernels::Activation;
  Random random(6);
  for (const auto* product : products()) {
    if (product == nullptr) continue;
    const std::string name = name_of(product);
    CAPTURE(name);
    for (const Activation activation :
         {Activation::none, Activation::gelu, Activation::gelu_tanh, Activation::relu, Activation::silu}) {
      check_parts(random, product, activation);
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
