// Masks, modifiers and storage in random compositions against the oracle, with poison in all dead places.
#include <cstring>

#include "random_case.hpp"

using namespace headwise::kernels;

namespace {

constexpr std::uint64_t seed = 4711;

std::vector<float> results(const Runner& runner, HeadData& data) {
  runner(data, true);
  std::vector<float> all(data.output.begin(), data.output.end());
  all.insert(all.end(), data.weights.begin(), data.weights.end());
  for (const double x : data.log_sum_exp) all.push_back(float(x));
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("kernels: random compositions of masks, modifiers and storage") {
  CAPTURE(seed);
  for (const Runner& runner : runners()) {
    UnitError total;
    for (std::uint64_t number = 0; number < 300; ++number) {
      CAPTURE(number);
      Random random(seed + number);
      RandomHead head(random);
      check_against_oracle(runner, *head.data, total);
    }
    CHECK(total.rms() <= 1);
  }
}

TEST_CASE("kernels: classes of chunks change no bit") {
  for (const Runner& runner : runners()) {
    for (std::uint64_t number = 0; number < 200; ++number) {
      Random random(seed + 1000 + number);
      RandomHead head(random);
      for (float& x : head.data->output) x = 0;  // padding between rows
      head.data->shape.scanned = false;
      const std::vector<float> without = results(runner, *head.data);
      head.data->shape.scanned = true;
      const std::string kernel = runner.name();
      CAPTURE(kernel);
      CAPTURE(number);
      REQUIRE(same_bits(results(runner, *head.data), without));
    }
  }
}

TEST_CASE("kernels: classes agree with the definition of each mask") {
  for (const auto* table : runnable_tables()) {
    for (std::uint64_t number = 0; number < 200; ++number) {
      Random random(seed + 2000 + number);
      RandomHead head(random);
      HeadCase& c = head.data->shape;
      for (int p = 0; p < c.mask.num_planes; ++p) {
        std::vector<ChunkClass> classes;
        run_scan(*table, *head.data, p, classes);
        MaskForm alone{c.keys, -MaskForm::open, MaskForm::open, {c.mask.planes[p]}, 1};
        for (std::int64_t chunk = 0; chunk < std::int64_t(classes.size()); ++chunk) {
          bool dead = true, plain = true;
          for (std::int64_t j = chunk * scan_chunk; j < std::min(c.keys, (chunk + 1) * scan_chunk); ++j) {
            for (std::int64_t i = 0; i < c.queries; ++i) {
              dead = dead && std::isinf(mask_bias(alone, i, j));
              plain = plain && mask_bias(alone, i, j) == 0;
            }
          }
          REQUIRE(classes[std::size_t(chunk)] == (dead    ? ChunkClass::dead
                                                  : plain ? ChunkClass::plain
                                                          : ChunkClass::mixed));
        }
      }
    }
  }
}
