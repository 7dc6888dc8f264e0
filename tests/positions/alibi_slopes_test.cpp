#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <limits>

#include "expect_error.hpp"
#include "headwise/positions.hpp"

using namespace headwise;

namespace {

// The slopes are 2 to these numbers.
void check_exponents(const std::vector<float>& slopes, const std::vector<double>& exponents) {
  REQUIRE(slopes.size() == exponents.size());
  for (std::size_t head = 0; head < slopes.size(); ++head) {
    CAPTURE(head);
    CHECK(slopes[head] == doctest::Approx(std::pow(2.0, exponents[head])).epsilon(1e-7));
  }
}

}  // namespace

TEST_CASE("slopes: powers of two are one geometric sequence in both schemes") {
  for (const auto scheme : {AlibiSlopes::interleaved, AlibiSlopes::geometric}) {
    check_exponents(alibi_slopes(1, scheme), {-8});
    check_exponents(alibi_slopes(2, scheme), {-4, -8});
    check_exponents(alibi_slopes(8, scheme), {-1, -2, -3, -4, -5, -6, -7, -8});
    check_exponents(alibi_slopes(16, scheme),
                    {-0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4, -4.5, -5, -5.5, -6, -6.5, -7, -7.5, -8});
  }
}

// By hand: 8 heads have −1 … −8, 16 heads have −0.5 … −8 in halves; the four that are missing are the first, third, …
// of the 16.
TEST_CASE("slopes: 12 heads, interleaved") {
  check_exponents(alibi_slopes(12), {-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5});
  check_exponents(alibi_slopes(3), {-4, -8, -2});
  check_exponents(alibi_slopes(6), {-2, -4, -6, -8, -1, -3});
}

// By hand: eight octaves in equal steps.
TEST_CASE("slopes: geometric for any head count") {
  check_exponents(alibi_slopes(3, AlibiSlopes::geometric), {-8.0 / 3, -16.0 / 3, -8});
  check_exponents(alibi_slopes(5, AlibiSlopes::geometric), {-1.6, -3.2, -4.8, -6.4, -8});
}

// slopes = 1 / 2**(arange(1, p + 1) * max / p) for the power of two p above; concat([slopes[1::2], slopes[::2]])[:H]
TEST_CASE("slopes: the rule of MPT gives the same numbers for every head count") {
  for (std::size_t heads = 1; heads <= 200; ++heads) {
    std::size_t power = 1;
    while (power < heads) power *= 2;
    std::vector<double> exponents;
    const auto term = [&](std::size_t i) { return -8.0 * static_cast<double>(i) / static_cast<double>(power); };
    for (std::size_t i = 2; i <= power; i += 2) exponents.push_back(term(i));
    for (std::size_t i = 1; i <= power; i += 2) exponents.push_back(term(i));
    for (std::size_t i = 1; power == heads && i <= power; ++i) exponents[i - 1] = term(i);
    exponents.resize(heads);
    check_exponents(alibi_slopes(static_cast<std::int64_t>(heads)), exponents);
  }
}

TEST_CASE("slopes: another maximum") {
  check_exponents(alibi_slopes(4, AlibiSlopes::interleaved, 16), {-4, -8, -12, -16});
  check_exponents(alibi_slopes(6, AlibiSlopes::interleaved, 16), {-4, -8, -12, -16, -2, -6});
}

TEST_CASE("errors: slopes") {
  for (const std::int64_t heads : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    expect_error(ErrorCode::invalid_argument, {"num_heads is " + std::to_string(heads), "1 to"},
                 [&] { alibi_slopes(heads); });
  }
  expect_error(ErrorCode::invalid_argument, {"alibi_max"},
               [] { alibi_slopes(4, AlibiSlopes::interleaved, std::numeric_limits<double>::quiet_NaN()); });
  expect_error(ErrorCode::invalid_argument, {"slopes"}, [] { alibi_slopes(4, static_cast<AlibiSlopes>(2)); });
}
