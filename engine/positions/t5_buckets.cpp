#include <algorithm>
#include <cmath>
#include <string>

#include "out_of_memory.hpp"
#include "position_checks.hpp"
#include "relative_table.hpp"
#include "view_checks.hpp"

namespace headwise {
namespace {

// Of a distance from 0 to max_distance on one side: half of the buckets hold one distance each, the others grow
// logarithmically up to max_distance.
std::int64_t side_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance) {
  const std::int64_t exact = buckets / 2;
  if (distance < exact) return distance;
  const double start = static_cast<double>(exact), rest = static_cast<double>(buckets - exact);
  const double place =
      std::log(static_cast<double>(distance) / start) / std::log(static_cast<double>(max_distance) / start);
  // A distance that starts a bucket must not fall below it by a rounding error of the logarithms.
  return std::min(exact + static_cast<std::int64_t>(place * rest + 1e-9), buckets - 1);
}

// Checks and clamps were done.
std::int64_t bucket_of(std::int64_t distance, std::int64_t num_buckets, const PositionBiasConfig& config) {
  if (!config.bidirectional) return side_bucket(std::max<std::int64_t>(-distance, 0), num_buckets, config.max_distance);
  const std::int64_t side = num_buckets / 2;
  return (distance > 0 ? side : 0) + side_bucket(std::abs(distance), side, config.max_distance);
}

void check_table(const float* bias, std::int64_t heads, std::int64_t head, std::int64_t margin) {
  if (bias == nullptr) refuse("relative_bias", "has no memory: its data is null");
  if (head < 0 || head >= heads) {
    refuse("head", "is " + std::to_string(head) + " of " + std::to_string(heads) + " heads");
  }
  if (margin < 0 || margin > max_t5_distance) {
    refuse("margin", "is " + std::to_string(margin) + "; expected 0 to " + std::to_string(max_t5_distance));
  }
}

}  // namespace

std::int64_t t5_bucket(std::int64_t distance, std::int64_t num_buckets, const PositionBiasConfig& config) try {
  check_t5_buckets(num_buckets, config);
  return bucket_of(std::clamp(distance, -config.max_distance, config.max_distance), num_buckets, config);
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to refuse a bucket");
}

std::vector<float> relative_table(const float* bias, std::int64_t buckets, std::int64_t heads, std::int64_t head,
                                  const PositionBiasConfig& config, std::int64_t margin) {
  check_t5_buckets(buckets, config);
  check_table(bias, heads, head, margin);
  const std::int64_t most = config.max_distance, reach = most + margin;
  std::vector<float> table(static_cast<std::size_t>(2 * reach + 1));
  for (std::int64_t distance = -reach; distance <= reach; ++distance) {
    // Buckets count from the query to the key, the table from the key to the query.
    const std::int64_t bucket = bucket_of(std::clamp(-distance, -most, most), buckets, config);
    table[static_cast<std::size_t>(distance + reach)] = bias[bucket * heads + head];
  }
  return table;
}

}  // namespace headwise
