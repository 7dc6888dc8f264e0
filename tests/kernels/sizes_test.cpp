// Every tail: head sizes from 1 to 136, lengths from 1 to 70 and around the block sizes, padded rows, both guard pages.
#include "kernel_harness.hpp"

namespace {

constexpr std::uint64_t seed = 20261130;

void check_size(const Runner& runner, Random& random, const HeadCase& shape, UnitError& total) {
  HeadCase c = shape;
  c.score.scale = 1 / std::sqrt(float(c.head_dim));
  c.padding = random.below(3) * 7;
  c.at_end = random.chance(0.5);
  HeadData data(c);
  data.fill(random, 1.5F);
  check_against_oracle(runner, data, total);
}

}  // namespace

TEST_CASE("kernels: every head size from 1 to 136") {
  CAPTURE(seed);
  for (const Runner& runner : runners()) {
    UnitError total;
    Random random(seed);
    for (std::int64_t d = 1; d <= 136; ++d)
      check_size(runner, random, {1 + d % 19, 1 + d % 23, d, 1 + (d * 7) % 136}, total);
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: every length from 1 to 70") {
  CAPTURE(seed);
  for (const Runner& runner : runners()) {
    UnitError total;
    Random random(seed + 1);
    for (std::int64_t length = 1; length <= 70; ++length) {
      check_size(runner, random, {length, length, 17, 8}, total);
      check_size(runner, random, {length, 71 - length, 5, 33}, total);
    }
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: lengths around the vector width, the query block and the key block") {
  CAPTURE(seed);
  for (const Runner& runner : runners()) {
    UnitError total;
    Random random(seed + 2);
    const std::int64_t w = runner.table->query_block;
    for (const std::int64_t queries : {w - 1, w, w + 1, 2 * w + 1})
      check_size(runner, random, {queries, 9, 16, 16}, total);
    for (const std::int64_t keys : {95, 96, 97, 192, 193, 600}) check_size(runner, random, {3, keys, 12, 20}, total);
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: no keys at all give rows of zeros") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(5, 0, 8, 6));
    for (float& x : data.output) x = 7;
    runner(data, true);
    for (const float x : data.output) CHECK(x == 0);
  }
}
