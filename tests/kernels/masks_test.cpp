// Every form of mask against its definition (mask_bias), with poison in all dead places.
#include <algorithm>
#include <cstring>

#include "kernel_harness.hpp"

using namespace headwise::kernels;

TEST_CASE("kernels: a value that only some queries may see stays with them") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(20, 20, 4, 6));
    Random random(3);
    data.fill(random, 1);
    data.shape.mask.last_offset = 0;
    data.v(12, 1) = std::nanf("");
    data.v(15, 3) = -INFINITY;
    runner(data, false);
    for (std::int64_t i = 0; i < 20; ++i) {
      CHECK(std::isnan(data.o(i, 1)) == (i >= 12));
      CHECK((data.o(i, 3) == -INFINITY) == (i >= 15));
      CHECK(std::isfinite(data.o(i, 0)));
    }
  }
}

TEST_CASE("kernels: rows without a live key follow the policy") {
  for (const Runner& runner : runners()) {
    for (const EmptyRow policy : {EmptyRow::zero, EmptyRow::mean, EmptyRow::nan}) {
      HeadData data(HeadCase(3, 8, 2, 2));
      Random random(5);
      data.fill(random, 1);
      for (std::int64_t j = 0; j < 8; ++j) data.v(j, 0) = float(j);
      const std::uint8_t keep[3] = {1, 0, 1};  // the middle query sees nothing
      data.shape.mask.num_planes = 1;
      data.shape.mask.planes[0] = byte_plane(keep, 1, 0, MaskKind::keep);
      data.shape.empty_row = policy;
      runner(data, true);
      const std::string kernel = runner.name();
      CAPTURE(kernel);
      CHECK(std::isfinite(data.o(0, 0)));
      if (policy == EmptyRow::nan) {
        CHECK(std::isnan(data.o(1, 0)));
        CHECK(std::isnan(data.w(1, 3)));
      } else {
        CHECK(data.o(1, 0) == (policy == EmptyRow::mean ? 3.5F : 0.0F));
        CHECK(data.w(1, 3) == (policy == EmptyRow::mean ? 0.125F : 0.0F));
      }
    }
  }
}

TEST_CASE("kernels: the most negative finite bias is a number, not a mask") {
  for (const Runner& runner : runners()) {
    HeadData data(HeadCase(2, 2, 1, 1));
    const float lowest = -3.402823466e38F;
    const float bias[4] = {lowest, lowest, 0, lowest};
    data.q(0, 0) = data.q(1, 0) = 1;
    data.k(0, 0) = 1;
    data.k(1, 0) = 3;
    data.v(0, 0) = 2;
    data.v(1, 0) = 4;
    data.shape.mask.num_planes = 1;
    data.shape.mask.planes[0] = float_plane(bias, 2, 1);
    runner(data, false);
    CHECK(data.o(0, 0) == doctest::Approx(3));
    CHECK(data.o(1, 0) == 2);
  }
}

TEST_CASE("kernels: dead keys between live ones change no bit") {
  Random random(77);
  for (const Runner& runner : runners()) {
    const std::int64_t live = 230;
    HeadData plain(HeadCase(5, live, 8, 8));
    plain.fill(random, 1);
    HeadData padded(HeadCase(5, 2 * live + 40, 8, 8));
    std::vector<std::uint8_t> keep(std::size_t(padded.shape.keys));
    std::copy(plain.query.begin(), plain.query.end(), padded.query.begin());
    for (float& x : padded.key) x = std::nanf("");
    for (float& x : padded.value) x = std::nanf("");
    for (std::int64_t j = 0; j < live; ++j) {
      const std::int64_t at = 40 + 2 * j;
      keep[std::size_t(at)] = 1;
      for (int c = 0; c < 8; ++c) {
        padded.k(at, c) = plain.k(j, c);
        padded.v(at, c) = plain.v(j, c);
      }
    }
    padded.shape.mask.num_planes = 1;
    padded.shape.mask.planes[0] = byte_plane(keep.data(), 0, 1, MaskKind::keep);
    runner(plain, true);
    runner(padded, true);
    const std::string kernel = runner.name();
    CAPTURE(kernel);
    CHECK(std::memcmp(plain.output.data(), padded.output.data(), 5 * 8 * sizeof(float)) == 0);
    CHECK(padded.w(2, 41) == 0);
    CHECK(padded.w(2, 42) == plain.w(2, 1));
  }
}

TEST_CASE("kernels: asking for weights changes no bit of the output") {
  Random random(78);
  for (const Runner& runner : runners()) {
    HeadData with(HeadCase(70, 450, 24, 40));
    with.fill(random, 1);
    with.shape.mask.last_offset = 380;
    runner(with, true);
    const std::vector<float> first(with.output.begin(), with.output.end());
    runner(with, false);
    CHECK(std::equal(first.begin(), first.end(), with.output.begin()));
  }
}
