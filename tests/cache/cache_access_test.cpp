#include "cache_access.hpp"

#include <doctest/doctest.h>

#include <climits>

#include "any_floats.hpp"
#include "expect_error.hpp"

using namespace headwise;
using Access = KvCache::Access;

namespace {

const AttentionConfig config{.num_heads = 2, .head_dim = 3, .value_dim = 1};

// Row t of n rows of a width, `stride` floats apart: t, t + 0.5, …
std::vector<float> numbered(std::int64_t n, std::int64_t width, std::int64_t stride) {
  std::vector<float> rows(static_cast<std::size_t>(n * stride), -1.0f);
  for (std::int64_t t = 0; t < n; ++t) {
    for (std::int64_t i = 0; i < width; ++i) {
      rows[static_cast<std::size_t>(t * stride + i)] = static_cast<float>(t) + 0.5f * static_cast<float>(i);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("access: rows go to their slots and wrap, lengths follow at the commit") {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    KvCache cache(config, {.batch = 2, .capacity = 4, .dtype = dtype, .circular = true});
    const std::vector<float> key = numbered(3, 3, 5), value = numbered(3, 1, 2);
    Access::prepare(cache, nullptr, 3);
    Access::write_rows(cache, {1, 1, 3}, {key.data(), 5}, {value.data(), 2}, 3);
    CHECK(cache.length(1) == 0);
    const std::vector<double> keys = read_floats(cache.keys());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // Head 1 of row 1: positions 3, 4, 5 lie in slots 3, 0, 1.
      const std::size_t slot = i < 36 ? 2 : (i - 36) / 3;
      const double token = slot == 3 ? 0 : double(slot) + 1;
      CHECK(keys[i] == (slot == 2 ? 0 : token + 0.5 * double(i % 3)));
    }
    CHECK(read_floats(cache.values()) == std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0});
    Access::commit(cache, 1, 3);
    Access::commit(cache, 1, 3);
    CHECK(cache.length(1) == 6);
    CHECK(cache.oldest(1) == 2);
    CHECK(Access::oldest_after(cache, 1, 4) == 6);
    CHECK(cache.length(0) == 0);
  }
}

TEST_CASE("access: a part without data is left alone") {
  KvCache cache(config, {.capacity = 1});
  const std::vector<float> row{1, 2, 3};
  Access::write_rows(cache, {0, 0, 0}, {row.data(), 3}, {nullptr, 0}, 1);
  CHECK(read_floats(cache.keys()) == std::vector<double>{1, 2, 3, 0, 0, 0});
  CHECK(read_floats(cache.values()) == std::vector<double>{0, 0});
  Access::write_rows(cache, {0, 1, 0}, {nullptr, 0}, {row.data(), 1}, 1);
  CHECK(read_floats(cache.values()) == std::vector<double>{0, 1});
}

TEST_CASE("access: where heads and slots lie") {
  KvCache cache(config, {.batch = 2, .capacity = 5, .dtype = DType::f16});
  const auto* keys = static_cast<const std::uint16_t*>(cache.keys().data);
  const auto* values = static_cast<const std::uint16_t*>(cache.values().data);
  CHECK(Access::key_data(cache, 1, 1) == keys + 45);
  CHECK(Access::value_data(cache, 1, 0) == values + 10);
  CHECK(Access::key_stride(cache) == 3);
  CHECK(Access::value_stride(cache) == 1);
  CHECK(Access::key_head_stride(cache) == 15);
  CHECK(Access::value_head_stride(cache) == 5);
  CHECK(Access::kv_heads(cache) == 2);
  CHECK(Access::slot(cache, 12) == 2);
  CHECK(Access::split(cache, 12) == 3);
}

TEST_CASE("errors: what a cache cannot take") {
  KvCache cache(config, {.batch = 2, .capacity = 4});
  Access::commit(cache, 1, 3);
  const auto refused = [&](const std::vector<std::string>& words, const std::int64_t* counts, std::int64_t n) {
    expect_error(ErrorCode::invalid_argument, words, [&] { Access::prepare(cache, counts, n); });
  };
  Access::prepare(cache, nullptr, 1);
  refused({"cache holds 3 of 4 tokens in row 1; 2 more do not fit"}, nullptr, 2);
  for (const std::int64_t n : {INT64_MIN, std::int64_t{-1}, std::int64_t{5}, INT64_MAX}) {
    refused({"cache of 4 tokens", std::to_string(n)}, nullptr, n);
  }
  const std::int64_t fits[] = {4, 1}, full[] = {4, 2}, negative[] = {-1, 0}, above[] = {5, 0};
  Access::prepare(cache, fits, 4);
  refused({"row 1; 2 more do not fit"}, full, 4);
  refused({"counts holds -1 for row 0; expected 0 to 4"}, negative, 4);
  refused({"counts holds 5 for row 0; expected 0 to 4"}, above, 4);
  const KvCache moved = std::move(cache);
  refused({"cache was moved from"}, nullptr, 1);
}
