// Designed inputs, each of which breaks a way of computing softmax: negative maxima, scores of ±88, ties, one dominant
// score, a maximum that rises from block to block, NaN and infinity. One component carries the score, so that it is
// exact.
#include <functional>

#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

// Scores are score(i, j) exactly: query row i is the unit vector, scaled; everything else is zero.
void set_scores(HeadData& data, const std::function<float(std::int64_t)>& score) {
  for (std::int64_t i = 0; i < data.shape.queries; ++i) data.q(i, data.shape.head_dim - 1) = 1;
  for (std::int64_t j = 0; j < data.shape.keys; ++j) data.k(j, data.shape.head_dim - 1) = score(j);
}

struct Design {
  const char* name;
  std::function<float(std::int64_t)> score;
};

const std::vector<Design> designs = {
    {"all ties", [](std::int64_t) { return 0.25F; }},
    {"negative maxima", [](std::int64_t j) { return -50.0F - 0.5F * float(j % 9); }},
    {"far apart", [](std::int64_t j) { return j % 2 == 0 ? 88.0F : -88.0F; }},
    {"one dominant", [](std::int64_t j) { return j == 7 ? 100.0F : 0.125F * float(j % 5); }},
    {"rising", [](std::int64_t j) { return 0.5F * float(j); }},
    {"falling", [](std::int64_t j) { return -0.5F * float(j); }},
    {"huge", [](std::int64_t j) { return j % 3 == 0 ? 1e30F : -1e30F; }},
    {"beyond exp", [](std::int64_t j) { return 400.0F - float(j % 200); }},
};

bool all_nan(HeadData& data, std::int64_t row) {
  for (std::int64_t c = 0; c < data.shape.value_dim; ++c) {
    if (!std::isnan(data.o(row, c))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("kernels: designed scores") {
  Random random(11);
  for (const Runner& runner : runners()) {
    UnitError total;
    for (const Design& design : designs) {
      const std::string name = design.name;
      CAPTURE(name);
      for (const std::int64_t keys : {9, 70, 400}) {
        HeadData data(HeadCase(5, keys, 3, 10));
        random.fill(data.value, -2, 2);
        set_scores(data, design.score);
        check_against_oracle(runner, data, total);
      }
    }
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: values of one sign add up without drift") {
  Random random(12);
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(40, 2000, 16, 8));
    data.fill(random, 1);
    random.fill(data.value, 0.5F, 1);
    UnitError total;
    check_against_oracle(runner, data, total);
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: a NaN score makes its row NaN, wherever it stands, and no other row") {
  for (const Runner& runner : runners()) {
    for (std::int64_t keys = 1; keys <= 35; ++keys) {
      for (std::int64_t at = 0; at < keys; ++at) {
        HeadData data(HeadCase(2, keys, 2, 3));
        for (float& v : data.value) v = 1;
        for (std::int64_t j = 0; j < keys; ++j) data.k(j, 0) = 0.25F * float(j);
        data.k(at, 1) = std::nanf("");
        data.q(0, 0) = 1;
        data.q(1, 0) = 1;
        data.shape.mask.num_planes = 1;  // the second row does not see the NaN key
        std::vector<std::uint8_t> drop(std::size_t(2 * keys));
        drop[std::size_t(keys + at)] = 1;
        data.shape.mask.planes[0] = byte_plane(drop.data(), keys, 1, MaskKind::drop);
        runner(data, false);
        const std::string kernel = runner.name();
        CAPTURE(kernel);
        CAPTURE(keys);
        CAPTURE(at);
        REQUIRE(all_nan(data, 0));
        REQUIRE(data.o(1, 0) == doctest::Approx(keys == 1 ? 0 : 1));
      }
    }
  }
}

TEST_CASE("kernels: NaN and infinity in a live value reach the output") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(3, 40, 4, 5));
    for (float& v : data.value) v = 1;
    data.v(33, 2) = std::nanf("");
    data.v(12, 4) = INFINITY;
    runner(data, false);
    for (std::int64_t i = 0; i < 3; ++i) {
      CHECK(std::isnan(data.o(i, 2)));
      CHECK(data.o(i, 4) == INFINITY);
      CHECK(data.o(i, 0) == doctest::Approx(1));
    }
  }
}

TEST_CASE("kernels: live scores of −inf are no mask: the row is NaN, as softmax has it") {
  for (const Runner& runner : runners()) {
    for (const EmptyRow policy : {EmptyRow::zero, EmptyRow::mean}) {
      HeadData data(HeadCase(2, 5, 1, 2));
      for (float& v : data.value) v = 1;
      for (float& k : data.key) k = 1;
      data.q(0, 0) = -INFINITY;
      data.q(1, 0) = 1;
      data.shape.empty_row = policy;
      runner(data, true);
      CHECK(all_nan(data, 0));
      CHECK(std::isnan(data.w(0, 3)));
      CHECK(data.o(1, 0) == doctest::Approx(1));
    }
  }
}

TEST_CASE("kernels: in a NaN row every live key has a NaN weight and every dead key none") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(1, 200, 1, 1));
    data.q(0, 0) = 1;
    for (std::int64_t j = 0; j < 200; ++j) data.k(j, 0) = j == 7 ? std::nanf("") : -float(j);
    std::vector<std::uint8_t> drop(200);
    drop[20] = drop[150] = 1;
    data.shape.mask.num_planes = 1;
    data.shape.mask.planes[0] = byte_plane(drop.data(), 0, 1, MaskKind::drop);
    runner(data, true);
    for (std::int64_t j = 0; j < 200; ++j) {
      CAPTURE(j);
      REQUIRE(std::isnan(data.w(0, j)) == (drop[std::size_t(j)] == 0));
    }
  }
}
