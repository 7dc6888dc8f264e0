// Layer normalisation of rows, against float64.
#include <algorithm>

#include "float_check.hpp"
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

enum class Target { apart, x, residual };  // where y lies

struct Shape {
  std::int64_t rows, columns, padding = 0;
  bool residual = true;
  Target target = Target::apart;

  std::int64_t stride() const { return columns + padding; }
  std::int64_t floats() const { return (rows - 1) * stride() + columns; }
};

// The rows of a task, at the ends of guarded memory.
struct NormCase {
  Shape shape;
  GuardedFloats x, residual, y, gamma, beta;

  explicit NormCase(const Shape& s)
      : shape(s), x(s.floats()), residual(s.floats()), y(s.floats()), gamma(s.columns), beta(s.columns) {}
  void fill(Random& random, float low, float high) {
    for (GuardedFloats* floats : {&x, &residual, &beta}) random.fill(*floats, low, high);
    random.fill(gamma, 0.5F, 1.5F);
    random.fill(y, 7, 8);
  }
  GuardedFloats& output() { return shape.target == Target::x ? x : (shape.target == Target::residual ? residual : y); }
  NormTask task() {
    const std::int64_t stride = shape.stride();
    return {x.data(),        shape.residual ? residual.data() : nullptr,
            output().data(), gamma.data(),
            beta.data(),     shape.rows,
            shape.columns,   stride,
            stride,          stride,
            1e-12F};
  }
};

std::vector<double> truth(NormCase& c, std::int64_t row) {
  const NormTask task = c.task();
  std::vector<double> s;
  double mean = 0, variance = 0;
  for (std::int64_t i = row * c.shape.stride(); i < row * c.shape.stride() + c.shape.columns; ++i)
    s.push_back(double(task.x[i]) + (task.residual == nullptr ? 0 : double(task.residual[i])));
  for (const double v : s) mean += v / double(s.size());
  for (const double v : s) variance += (v - mean) * (v - mean) / double(s.size());
  for (std::size_t i = 0; i < s.size(); ++i)
    s[i] = (s[i] - mean) / std::sqrt(variance + double(task.epsilon)) * double(task.gamma[i]) + double(task.beta[i]);
  return s;
}

// The largest error of all numbers; what lies between rows must be what was there.
double largest_error(const KernelTable& table, NormCase& c) {
  std::vector<std::vector<double>> right;
  for (std::int64_t r = 0; r < c.shape.rows; ++r) right.push_back(truth(c, r));
  const std::vector<float> before(c.output().begin(), c.output().end());
  table.layer_norm(c.task());
  double largest = 0;
  for (std::int64_t i = 0; i < c.shape.floats(); ++i) {
    const std::int64_t row = i / c.shape.stride(), column = i % c.shape.stride();
    const double expect =
        column < c.shape.columns ? right[std::size_t(row)][std::size_t(column)] : double(before[std::size_t(i)]);
    const double error = std::fabs(double(c.output()[i]) - expect);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

std::vector<float> normalised(const KernelTable& table, NormCase& c) {
  table.layer_norm(c.task());
  return {c.output().begin(), c.output().end()};
}

}  // namespace

TEST_CASE("layer norm: every width, with and without a residual, in place, rows with a stride") {
  Random random(61);
  for (const auto* table : runnable_tables()) {
    for (std::int64_t columns = 2; columns <= 140; ++columns) {
      const Target target = Target(columns % 3);
      NormCase c({3, columns, columns % 4, target == Target::residual || columns % 2 == 0, target});
      c.fill(random, -2, 2);
      const std::string isa = table->isa;
      CAPTURE(isa);
      CAPTURE(columns);
      CHECK(largest_error(*table, c) <= 24 * 0x1p-23);
    }
  }
}

TEST_CASE("layer norm: a row far from zero loses no more than its numbers have lost already") {
  Random random(62);
  for (const auto* table : runnable_tables()) {
    for (const float centre : {0.0F, 100.0F, -3000.0F}) {
      NormCase c({4, 1000, 0, false});
      c.fill(random, -1, 1);
      for (float& v : c.x) v += centre;
      const std::string isa = table->isa;
      CAPTURE(isa);
      CHECK(largest_error(*table, c) <= 12 * 0x1p-23);
    }
  }
}

// The variance of such a row is rounding alone, which must not make it negative.
TEST_CASE("layer norm: a constant row becomes beta, nearly") {
  for (const auto* table : runnable_tables()) {
    for (std::int64_t columns = 1; columns < 400; columns += 3) {
      for (const float constant : {0.0F, 0.1F, -777.77F, 4285714.5F, 1e8F / 3}) {
        NormCase c({1, columns, 0, false});
        std::fill(c.x.begin(), c.x.end(), constant);
        std::fill(c.gamma.begin(), c.gamma.end(), 1.0F);
        std::fill(c.beta.begin(), c.beta.end(), 0.5F);
        for (const float v : normalised(*table, c)) REQUIRE(std::fabs(v - 0.5F) <= 1);
      }
    }
  }
}

TEST_CASE("layer norm: a row's bits do not depend on the rows beside it; NaN and infinity stay in theirs") {
  Random random(63);
  for (const auto* table : runnable_tables()) {
    for (const std::int64_t columns : {5, 16, 77, 384}) {
      NormCase many({9, columns, 3}), one({1, columns});
      many.fill(random, -2, 2);
      many.x[4 * many.shape.stride()] = std::nanf("");
      many.residual[6 * many.shape.stride() + columns - 1] = INFINITY;
      std::copy(many.gamma.begin(), many.gamma.end(), one.gamma.begin());
      std::copy(many.beta.begin(), many.beta.end(), one.beta.begin());
      const std::vector<float> all = normalised(*table, many);
      for (std::int64_t r = 0; r < 9; ++r) {
        const std::int64_t start = r * many.shape.stride();
        std::copy_n(many.x.begin() + start, columns, one.x.begin());
        std::copy_n(many.residual.begin() + start, columns, one.residual.begin());
        const std::vector<float> alone = normalised(*table, one);
        for (std::int64_t i = 0; i < columns; ++i) {
          const float y = all[std::size_t(start + i)];
          REQUIRE(std::isnan(y) == (r == 4 || r == 6));
          REQUIRE((std::isnan(y) || same_float(y, alone[std::size_t(i)])));
        }
      }
    }
  }
}
