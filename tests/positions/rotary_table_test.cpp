#include "rotary_table.hpp"

#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <vector>

#include "expect_error.hpp"

using namespace headwise;

TEST_CASE("table: cosines and sines of every position, rounded once") {
  const RotaryTable table({.dim = 6, .base = 100}, 50);
  CHECK(table.positions() == 50);
  CHECK(table.half_dim() == 3);
  for (std::int64_t position = 0; position < 50; ++position) {
    for (int pair = 0; pair < 3; ++pair) {
      const double angle = static_cast<double>(position) * std::pow(100.0, -2.0 * pair / 6);
      CHECK(table.cos(position)[pair] == doctest::Approx(std::cos(angle)).epsilon(1e-7));
      CHECK(table.sin(position)[pair] == doctest::Approx(std::sin(angle)).epsilon(1e-7));
    }
  }
}

TEST_CASE("table: angles of a position have the bits of the table") {
  const RotaryConfig yarn{.dim = 16, .scaling = RotaryScaling::yarn, .factor = 4, .original_positions = 64};
  const RotaryTable table(yarn, 300);
  float cos[8], sin[8];
  for (std::int64_t position = 0; position < 300; ++position) {
    table.angles(position, cos, sin);
    REQUIRE(std::memcmp(cos, table.cos(position), sizeof cos) == 0);
    REQUIRE(std::memcmp(sin, table.sin(position), sizeof sin) == 0);
  }
  CHECK(table.cos(0)[0] == doctest::Approx(1.138629436111989));  // 0.1·ln 4 + 1
}

TEST_CASE("table: negative and huge positions") {
  const RotaryTable table({.dim = 4}, 0);
  float cos[2], sin[2], other_cos[2], other_sin[2];
  table.angles(-37, cos, sin);
  table.angles(37, other_cos, other_sin);
  for (int pair = 0; pair < 2; ++pair) {
    CHECK(cos[pair] == other_cos[pair]);
    CHECK(sin[pair] == -other_sin[pair]);
  }
  for (const std::int64_t position : {INT64_MIN, INT64_MAX, std::int64_t{1} << 40}) {
    table.angles(position, cos, sin);
    for (int pair = 0; pair < 2; ++pair) {
      CHECK(cos[pair] * cos[pair] + sin[pair] * sin[pair] == doctest::Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("table: nothing to turn") {
  const RotaryTable empty;
  CHECK(empty.half_dim() == 0);
  CHECK(empty.cos() == nullptr);
  const RotaryTable none({}, 1000);
  CHECK(none.half_dim() == 0);
  none.angles(3, nullptr, nullptr);
}

TEST_CASE("errors: tables that cannot be") {
  const RotaryConfig config{.dim = 4};
  expect_error(ErrorCode::invalid_argument, {"positions", "-1"}, [&] { RotaryTable(config, -1); });
  expect_error(ErrorCode::invalid_argument, {"too many"}, [&] { RotaryTable(config, INT64_MAX / 2); });
  expect_error(ErrorCode::invalid_argument, {"rotary.dim"}, [&] { RotaryTable({.dim = 3}, 1); });
}
