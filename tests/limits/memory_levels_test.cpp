#include "memory_levels.hpp"

#include <doctest/doctest.h>

using namespace headwise;

namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

}  // namespace

TEST_CASE("memory levels: a buffer fits into its level and not into the one before") {
  const auto levels = limits::levels_of({{1, 32 * kib, 1}, {2, mib, 1}, {3, 32 * mib, 8}}, 1);
  REQUIRE(levels.size() == 4);
  CHECK(levels[0].name == "L1");
  CHECK(levels[0].bytes_per_thread == 16 * kib);
  CHECK(levels[1].bytes_per_thread == 512 * kib);
  CHECK(levels[2].name == "L3");
  CHECK(levels[2].capacity == 32 * mib);
  CHECK(levels[2].bytes_per_thread == 16 * mib);
  CHECK(levels[3].name == "memory");
  CHECK(levels[3].capacity == 0);
  CHECK(levels[3].bytes_per_thread == 256 * mib);
}

TEST_CASE("memory levels: threads divide the caches that they share") {
  const std::vector<limits::Cache> caches{{1, 32 * kib, 1}, {2, mib, 1}, {3, 32 * mib, 4}};
  const auto two = limits::levels_of(caches, 2), many = limits::levels_of(caches, 64);
  CHECK(two[1].bytes_per_thread == 512 * kib);
  CHECK(two[2].bytes_per_thread == 8 * mib);
  CHECK(two[3].bytes_per_thread == 128 * mib);
  CHECK(many[2].bytes_per_thread == 4 * mib);
  CHECK(many[3].bytes_per_thread == 64 * mib);
}

TEST_CASE("memory levels: a small share is raised above the level before; no cache leaves memory") {
  CHECK(limits::levels_of({{2, mib, 1}, {3, 4 * mib, 8}}, 8)[1].bytes_per_thread == 2 * mib);
  const auto bare = limits::levels_of({}, 1);
  REQUIRE(bare.size() == 1);
  CHECK(bare[0].bytes_per_thread == 64 * mib);
}

TEST_CASE("memory levels: this machine has some, memory last") {
  const auto levels = memory_levels(2);
  REQUIRE(levels.size() >= 2);
  CHECK(levels.back().name == "memory");
  for (std::size_t i = 1; i < levels.size(); ++i) {
    CAPTURE(levels[i].name);
    CHECK(levels[i].bytes_per_thread > levels[i - 1].bytes_per_thread);
  }
  CHECK_THROWS_AS(memory_levels(0), Error);
}
