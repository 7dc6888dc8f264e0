// Every form of mask against its definition (mask_bias), with poison in all dead places.
#include <algorithm>
#include <cstring>

#include "kernel_harness.hpp"

using namespace headwise::kernels;

namespace {

constexpr std::uint64_t seed = 4711;

struct RandomMask {
  std::vector<std::uint8_t> bytes;
  std::vector<float> floats;
};

// A plane over [queries, keys], or one row of it for all queries.
MaskPlane make_plane(Random& random, const HeadCase& c, RandomMask& memory) {
  const auto count = std::size_t(c.queries * c.keys);
  const double live = random.chance(0.3) ? 0.1 : 0.7;
  const std::int64_t query_stride = random.chance(0.4) ? 0 : c.keys;
  const std::int64_t kind = random.below(3);
  if (kind == 2) {
    memory.floats.resize(count);
    for (float& x : memory.floats) x = random.chance(live) ? random.uniform(-2, 2) : -INFINITY;
    return {memory.floats.data(), query_stride, 1, MaskKind::additive};
  }
  memory.bytes.resize(count);
  for (auto& x : memory.bytes) x = random.chance(live) == (kind == 0) ? std::uint8_t(1 + random.below(255)) : 0;
  return {memory.bytes.data(), query_stride, 1, kind == 0 ? MaskKind::keep : MaskKind::drop};
}

// NaN and infinity in every key and value that no query sees.
void poison_dead_keys(HeadData& data) {
  const HeadCase& c = data.shape;
  for (std::int64_t j = 0; j < c.keys; ++j) {
    bool live = false;
    for (std::int64_t i = 0; i < c.queries; ++i) live = live || !std::isinf(mask_bias(c.mask, i, j));
    if (live) continue;
    for (std::int64_t x = 0; x < c.head_dim; ++x) data.k(j, x) = std::nanf("");
    for (std::int64_t x = 0; x < c.value_dim; ++x) data.v(j, x) = x % 2 == 0 ? INFINITY : std::nanf("");
  }
}

HeadCase random_case(Random& random, RandomMask (&memory)[2]) {
  HeadCase c(1 + random.below(90), 1 + random.below(random.chance(0.2) ? 500 : 60), 1 + random.below(24),
             1 + random.below(24));
  c.mask.num_planes = int(random.below(3));
  for (int p = 0; p < c.mask.num_planes; ++p) c.mask.planes[p] = make_plane(random, c, memory[p]);
  if (random.chance(0.4)) c.mask.causal_offset = random.below(2 * c.keys) - c.keys;
  if (random.chance(0.3)) c.mask.key_end = random.below(c.keys + 1);
  return c;
}

}  // namespace

TEST_CASE("kernels: random compositions of masks") {
  for (const auto* table : runnable_tables()) {
    UnitError total;
    for (std::uint64_t number = 0; number < 150; ++number) {
      CAPTURE(seed);
      CAPTURE(number);
      Random random(seed + number);
      RandomMask memory[2];
      HeadData data(random_case(random, memory));
      data.fill(random, 1);
      poison_dead_keys(data);
      check_against_oracle(*table, data, total);
    }
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: a value that only some queries may see stays with them") {
  for (const auto* table : runnable_tables()) {
    HeadData data(HeadCase(20, 20, 4, 6));
    Random random(3);
    data.fill(random, 1);
    data.shape.mask.causal_offset = 0;
    data.v(12, 1) = std::nanf("");
    data.v(15, 3) = -INFINITY;
    run(*table, data, false);
    for (std::int64_t i = 0; i < 20; ++i) {
      CHECK(std::isnan(data.o(i, 1)) == (i >= 12));
      CHECK((data.o(i, 3) == -INFINITY) == (i >= 15));
      CHECK(std::isfinite(data.o(i, 0)));
    }
  }
}

TEST_CASE("kernels: rows without a live key follow the policy") {
  for (const auto* table : runnable_tables()) {
    for (const EmptyRow policy : {EmptyRow::zero, EmptyRow::mean, EmptyRow::nan}) {
      HeadData data(HeadCase(3, 8, 2, 2));
      Random random(5);
      data.fill(random, 1);
      for (std::int64_t j = 0; j < 8; ++j) data.v(j, 0) = float(j);
      const std::uint8_t keep[3] = {1, 0, 1};  // the middle query sees nothing
      data.shape.mask.num_planes = 1;
      data.shape.mask.planes[0] = {keep, 1, 0, MaskKind::keep};
      data.shape.empty_row = policy;
      run(*table, data, true);
      const std::string isa = table->isa;
      CAPTURE(isa);
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
  for (const auto* table : runnable_tables()) {
    HeadData data(HeadCase(2, 2, 1, 1));
    const float lowest = -3.402823466e38F;
    const float bias[4] = {lowest, lowest, 0, lowest};
    data.q(0, 0) = data.q(1, 0) = 1;
    data.k(0, 0) = 1;
    data.k(1, 0) = 3;
    data.v(0, 0) = 2;
    data.v(1, 0) = 4;
    data.shape.mask.num_planes = 1;
    data.shape.mask.planes[0] = {bias, 2, 1, MaskKind::additive};
    run(*table, data, false);
    CHECK(data.o(0, 0) == doctest::Approx(3));
    CHECK(data.o(1, 0) == 2);
  }
}

TEST_CASE("kernels: dead keys between live ones change no bit") {
  Random random(77);
  for (const auto* table : runnable_tables()) {
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
    padded.shape.mask.planes[0] = {keep.data(), 0, 1, MaskKind::keep};
    run(*table, plain, true);
    run(*table, padded, true);
    const std::string isa = table->isa;
    CAPTURE(isa);
    CHECK(std::memcmp(plain.output.data(), padded.output.data(), 5 * 8 * sizeof(float)) == 0);
    CHECK(padded.w(2, 41) == 0);
    CHECK(padded.w(2, 42) == plain.w(2, 1));
  }
}

TEST_CASE("kernels: asking for weights changes no bit of the output") {
  Random random(78);
  for (const auto* table : runnable_tables()) {
    HeadData with(HeadCase(70, 450, 24, 40));
    with.fill(random, 1);
    with.shape.mask.causal_offset = 380;
    run(*table, with, true);
    const std::vector<float> first(with.output.begin(), with.output.end());
    run(*table, with, false);
    CHECK(std::equal(first.begin(), first.end(), with.output.begin()));
  }
}
