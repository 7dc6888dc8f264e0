#include <doctest/doctest.h>

#include <climits>
#include <cmath>

#include "expect_error.hpp"
#include "relative_table.hpp"

using namespace headwise;

namespace {

const PositionBiasConfig both_sides{.kind = PositionBias::t5};
const PositionBiasConfig before{.kind = PositionBias::t5, .bidirectional = false};

// The nearest distance of every bucket of keys before the query. Computed in exact fractions: with e = buckets of a
// side / 2 and r = the others, bucket e + k starts where (distance / e)^r ≥ (max_distance / e)^k.
void check_starts(std::int64_t num_buckets, const PositionBiasConfig& config, const std::vector<std::int64_t>& starts) {
  std::size_t bucket = 0;
  for (std::int64_t distance = 0; distance < 2 * config.max_distance; ++distance) {
    if (bucket + 1 < starts.size() && distance == starts[bucket + 1]) ++bucket;
    CAPTURE(distance);
    REQUIRE(t5_bucket(-distance, num_buckets, config) == static_cast<std::int64_t>(bucket));
  }
}

}  // namespace

TEST_CASE("buckets: 32 over 128, both sides") {
  check_starts(32, both_sides, {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91});
  for (std::int64_t distance = 1; distance < 300; ++distance) {
    CHECK(t5_bucket(distance, 32, both_sides) == 16 + t5_bucket(-distance, 32, both_sides));
  }
}

TEST_CASE("buckets: 32 over 128, keys before the query only") {
  check_starts(32, before, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                            16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113});
  for (std::int64_t distance = 0; distance < 300; ++distance) CHECK(t5_bucket(distance, 32, before) == 0);
}

TEST_CASE("buckets: other counts and distances") {
  PositionBiasConfig config = both_sides;
  config.max_distance = 50;
  check_starts(12, config, {0, 1, 2, 3, 8, 20});
  config.max_distance = 160;
  check_starts(40, config, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 18, 23, 31, 40, 53, 70, 92, 122});
  config.max_distance = 64;
  check_starts(16, config, {0, 1, 2, 3, 4, 8, 16, 32});
  check_starts(4, config, {0, 1});
  check_starts(5, config, {0, 1});  // an odd one is never used
}

TEST_CASE("buckets: a distance that starts a bucket is not lost to a rounding error") {
  PositionBiasConfig config = before;
  config.max_distance = 160;  // 5·2^k; the logarithms of 10, 20 and 80 come out just below
  check_starts(10, config, {0, 1, 2, 3, 4, 5, 10, 20, 40, 80});
  config.max_distance = 288;  // 9·32^(k/10), k = 2, 4, 6, 8
  check_starts(19, config, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 18, 26, 36, 51, 72, 102, 144, 204});
}

TEST_CASE("buckets: the farthest distances share the last bucket") {
  for (const std::int64_t distance : {INT64_MAX, std::int64_t{128}}) {
    CHECK(t5_bucket(distance, 32, both_sides) == 31);
    CHECK(t5_bucket(-distance, 32, both_sides) == 15);
    CHECK(t5_bucket(-distance, 32, before) == 31);
  }
  CHECK(t5_bucket(INT64_MIN, 32, both_sides) == 15);
  CHECK(t5_bucket(INT64_MIN, 32, before) == 31);
}

TEST_CASE("errors: buckets") {
  const auto refused = [](const std::vector<std::string>& words, std::int64_t buckets,
                          const PositionBiasConfig& config) {
    expect_error(ErrorCode::invalid_argument, words, [&] { t5_bucket(1, buckets, config); });
  };
  for (const std::int64_t buckets : {INT64_MIN, std::int64_t{0}, std::int64_t{3}, INT64_MAX}) {
    refused({"num_buckets is " + std::to_string(buckets), "expected 4 to"}, buckets, both_sides);
  }
  refused({"num_buckets is 1", "expected 2 to"}, 1, before);
  refused({"num_buckets is 256", "128 a side", "fewer than position_bias.max_distance, 128"}, 256, before);
  PositionBiasConfig config = both_sides;
  config.max_distance = 0;
  refused({"position_bias.max_distance is 0"}, 32, config);
}

TEST_CASE("table: the bias of every distance, keys before the query on the right") {
  constexpr std::int64_t heads = 3, buckets = 32, margin = 5, reach = 128 + margin;
  std::vector<float> bias(buckets * heads);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<float>(i);
  for (const PositionBiasConfig& config : {both_sides, before}) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::vector<float> table = relative_table(bias.data(), buckets, heads, head, config, margin);
      REQUIRE(table.size() == 2 * reach + 1);
      for (std::int64_t distance = -reach; distance <= reach; ++distance) {
        const std::int64_t bucket = t5_bucket(-distance, buckets, config);
        CHECK(table[static_cast<std::size_t>(distance + reach)] == static_cast<float>(bucket * heads + head));
      }
    }
  }
}

TEST_CASE("errors: tables") {
  const float bias[64] = {};
  const auto refused = [](const std::vector<std::string>& words, const auto& call) {
    expect_error(ErrorCode::invalid_argument, words, call);
  };
  refused({"relative_bias", "null"}, [] { relative_table(nullptr, 32, 2, 0, both_sides, 1); });
  for (const std::int64_t head : {-1, 2}) {
    refused({"head is " + std::to_string(head) + " of 2"}, [&] { relative_table(bias, 32, 2, head, both_sides, 1); });
  }
  for (const std::int64_t margin : {std::int64_t{-1}, INT64_MAX}) {
    refused({"margin is"}, [&] { relative_table(bias, 32, 2, 0, both_sides, margin); });
  }
  refused({"num_buckets is 3"}, [&] { relative_table(bias, 3, 2, 0, both_sides, 1); });
}
