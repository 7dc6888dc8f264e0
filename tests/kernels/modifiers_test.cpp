// What the random compositions can't show of soft-cap, position bias, sink, extra keys and windows: the edges.
#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

struct FilledHead : HeadData {
  FilledHead(std::int64_t queries, std::int64_t keys, std::uint64_t seed) : HeadData(HeadCase(queries, keys, 6, 5)) {
    Random random(seed);
    fill(random, 1);
  }
};

}  // namespace

TEST_CASE("kernels: a soft-cap holds scores of any size, and −∞ becomes −c") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(1, 3, 1, 3));
    data.q(0, 0) = 1;
    data.k(0, 0) = 1e30F;
    data.k(1, 0) = -INFINITY;
    data.k(2, 0) = -1e30F;
    for (int j = 0; j < 3; ++j) data.v(j, j) = 1;
    data.shape.score.softcap = 2;
    runner(data, true);
    const double high = std::exp(2.0), low = std::exp(-2.0);
    CHECK(data.o(0, 0) == doctest::Approx(high / (high + 2 * low)));
    CHECK(data.o(0, 1) == doctest::Approx(low / (high + 2 * low)));
    CHECK(data.log_sum_exp[0] == doctest::Approx(std::log(high + 2 * low)));
  }
}

TEST_CASE("kernels: a tiny soft-cap makes all live keys equal") {
  for (const Runner& runner : runners()) {
    FilledHead data(3, 7, 21);
    data.shape.score.softcap = 1e-40F;
    runner(data, true);
    for (int j = 0; j < 7; ++j) CHECK(data.w(1, j) == doctest::Approx(1.0 / 7));
  }
}

TEST_CASE("kernels: a soft-capped dead key stays dead") {
  for (const Runner& runner : runners()) {
    FilledHead data(5, 120, 22);
    data.shape.score.softcap = 3;
    data.shape.mask.last_offset = 0;
    data.k(4, 0) = std::nanf("");
    data.v(4, 0) = std::nanf("");
    runner(data, true);
    for (std::int64_t i = 0; i < 4; ++i) CHECK(std::isfinite(data.o(i, 0)));
    CHECK(std::isnan(data.o(4, 0)));
    CHECK(data.w(3, 4) == 0);
  }
}

TEST_CASE("kernels: ALiBi counts distance from the offset position") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(2, 4, 1, 1));
    data.shape.score.alibi_slope = 0.5F;
    data.shape.score.query_offset = 2;  // the queries stand at positions 2 and 3
    runner(data, true);
    double sum = 0;
    for (int j = 0; j < 4; ++j) sum += std::exp(-0.5 * std::abs(3 - j));
    for (int j = 0; j < 4; ++j) CHECK(data.w(1, j) == doctest::Approx(std::exp(-0.5 * std::abs(3 - j)) / sum));
  }
}

TEST_CASE("kernels: with a sink a row without a live key is zero whatever the policy") {
  for (const Runner& runner : runners()) {
    for (const EmptyRow policy : {EmptyRow::zero, EmptyRow::mean, EmptyRow::nan}) {
      FilledHead data(2, 100, 23);
      data.shape.empty_row = policy;
      data.shape.mask.key_end = 0;
      data.shape.score.has_sink = true;
      data.shape.score.sink = 1.5F;
      for (float& x : data.weights) x = 9;
      runner(data, true);
      for (const float x : data.output) CHECK(x == 0);
      for (const float x : data.weights) REQUIRE(x == 0);
      CHECK(data.log_sum_exp[1] == 1.5);
    }
  }
}

TEST_CASE("kernels: a sink of −∞ is no sink") {
  for (const Runner& runner : runners()) {
    FilledHead data(2, 30, 24);
    runner(data, true);
    const std::vector<float> without(data.output.begin(), data.output.end());
    data.shape.score.has_sink = true;
    data.shape.score.sink = -INFINITY;
    runner(data, true);
    CHECK(std::equal(without.begin(), without.end(), data.output.begin()));
    data.shape.mask.key_end = 0;
    data.shape.empty_row = EmptyRow::nan;
    runner(data, true);
    CHECK(std::isnan(data.o(0, 0)));
    CHECK(std::isinf(data.log_sum_exp[0]));
  }
}

TEST_CASE("kernels: a sink far above all scores takes everything, one far below nothing") {
  for (const Runner& runner : runners()) {
    FilledHead data(2, 1100, 25);
    runner(data, true);
    const std::vector<float> without(data.output.begin(), data.output.end());
    data.shape.score.has_sink = true;
    data.shape.score.sink = 500;
    runner(data, true);
    for (const float x : data.output) CHECK(x == 0);
    CHECK(data.log_sum_exp[0] == 500);
    data.shape.score.sink = -500;
    runner(data, true);
    for (std::size_t i = 0; i < without.size(); ++i) CHECK(data.output[std::int64_t(i)] == doctest::Approx(without[i]));
  }
}

TEST_CASE("kernels: extra keys are live where all others are dead") {
  for (const Runner& runner : runners()) {
    for (const std::int64_t keys : {0, 5, 95, 96, 200, 480}) {
      HeadCase c(3, keys, 4, 4);
      c.extra = 2;
      c.mask.key_end = 0;
      c.empty_row = EmptyRow::nan;
      HeadData data(c);
      for (float& x : data.weights) x = 9;
      for (int x = 0; x < 4; ++x) data.extra_value[x] = 2;  // the second extra key is all zeros
      runner(data, true);
      for (std::int64_t i = 0; i < 3; ++i) {
        CHECK(data.o(i, 0) == 1);
        CHECK(data.w(i, keys) == 0.5F);
        CHECK(data.w(i, keys + 1) == 0.5F);
        for (std::int64_t j = 0; j < keys; ++j) REQUIRE(data.w(i, j) == 0);
        CHECK(data.log_sum_exp[std::size_t(i)] == doctest::Approx(std::log(2.0)));
      }
    }
  }
}

TEST_CASE("kernels: windows that no key or every key is in") {
  constexpr std::int64_t open = MaskForm::open;
  for (const Runner& runner : runners()) {
    FilledHead data(4, 300, 26);
    runner(data, true);
    const std::vector<float> all(data.output.begin(), data.output.end());
    for (const auto& [first, last] : {std::pair{-open, open}, {-300, 300}, {-3, open}, {-open, 299}}) {
      data.shape.mask.first_offset = first;
      data.shape.mask.last_offset = last;
      runner(data, true);
      CHECK(std::equal(all.begin(), all.end(), data.output.begin()));
    }
    for (const auto& [first, last] : {std::pair{open, open}, {-open, -open}, {300, open}, {-open, -4L}, {5L, 4L}}) {
      data.shape.mask.first_offset = first;
      data.shape.mask.last_offset = last;
      runner(data, true);
      for (const float x : data.output) CHECK(x == 0);
      for (const float x : data.weights) REQUIRE(x == 0);
    }
  }
}

TEST_CASE("kernels: keys before a window are not read") {
  for (const Runner& runner : runners()) {
    FilledHead data(40, 700, 27);
    for (std::int64_t j = 0; j < 600; ++j) data.k(j, 0) = data.v(j, 0) = std::nanf("");
    data.shape.mask.first_offset = 600;
    data.shape.mask.last_offset = 620;
    UnitError total;
    runner(data, true);
    for (const float x : data.output) REQUIRE(std::isfinite(x));
    for (std::int64_t j = 0; j < 600; ++j) data.k(j, 0) = data.v(j, 0) = 0;
    check_against_oracle(runner, data, total);
  }
}

TEST_CASE("kernels: two masks with the lowest finite bias do not make a dead key") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(2, 3, 1, 1));
    const float lowest = -3.402823466e38F;
    const float bias[6] = {lowest, lowest, lowest, 0, lowest, lowest};
    for (int j = 0; j < 3; ++j) data.v(j, 0) = float(j);
    data.shape.mask.num_planes = 2;
    data.shape.mask.planes[0] = data.shape.mask.planes[1] = float_plane(bias, 3, 1);
    runner(data, true);
    CHECK(data.o(0, 0) == doctest::Approx(1));
    CHECK(data.o(1, 0) == 0);
    CHECK(data.w(1, 0) == 1);
  }
}

TEST_CASE("kernels: a gate multiplies the output and nothing else") {
  for (const Runner& runner : runners()) {
    FilledHead data(3, 200, 28);
    runner(data, true);
    const std::vector<float> output(data.output.begin(), data.output.end());
    const std::vector<float> weights(data.weights.begin(), data.weights.end());
    data.shape.gate = 0.5F;
    runner(data, true);
    for (std::size_t i = 0; i < output.size(); ++i) CHECK(data.output[std::int64_t(i)] == output[i] * 0.5F);
    CHECK(std::equal(weights.begin(), weights.end(), data.weights.begin()));
  }
}
