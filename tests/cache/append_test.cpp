#include <doctest/doctest.h>

#include <cstring>
#include <limits>

#include "any_floats.hpp"
#include "headwise/kv_cache.hpp"
#include "small_floats.hpp"

using namespace headwise;

namespace {

const AttentionConfig config{.num_heads = 1, .head_dim = 4};

}  // namespace

TEST_CASE("append: numbers are rounded once to the type of the cache") {
  const float numbers[] = {1 + 0x1p-11F, 1 + 0x1.8p-10F, 1e6F, -0x1p-25F};
  const TensorView row(numbers, DType::f32, {1, 1, 1, 4});
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    KvCache cache(config, {.capacity = 1, .dtype = dtype});
    cache.append(row, row);
    CHECK(read_floats(cache.keys()) == read_floats(convert(row, dtype)));
    CHECK(read_floats(cache.values()) == read_floats(convert(row, dtype)));
  }
}

TEST_CASE("append: a type that the cache has too keeps every bit") {
  const std::uint16_t bits[] = {0x7c01, 0xfe5a, 0x8000, 0x0001};  // a signalling NaN among them
  KvCache cache(config, {.capacity = 2, .dtype = DType::f16});
  const TensorView row(bits, DType::f16, {1, 1, 1, 4});
  cache.append(row, row);
  CHECK(std::memcmp(cache.keys().data, bits, sizeof bits) == 0);
  CHECK(std::memcmp(cache.values().data, bits, sizeof bits) == 0);
}

TEST_CASE("append: a stride of zero repeats a token") {
  const float numbers[] = {1, 2, 3, 4};
  const TensorView rows(numbers, DType::f32, {1, 1, 3, 4}, {0, 0, 0, 1});
  KvCache cache(config, {.capacity = 3});
  cache.append(rows, rows);
  CHECK(read_floats(cache.keys()) == std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4});
}

TEST_CASE("append: no tokens, no rows") {
  const TensorView none(nullptr, DType::f32, {1, 1, 0, 4});
  KvCache cache(config, {.capacity = 3});
  cache.append(none, none);
  CHECK(cache.length(0) == 0);
  KvCache empty(config, {.batch = 0, .capacity = 3});
  const TensorView no_rows(nullptr, DType::f32, {0, 1, 2, 4});
  empty.append(no_rows, no_rows);
  empty.clear();
}

TEST_CASE("append: counts leave what lies behind them unread") {
  float numbers[8];
  for (float& number : numbers) number = std::numeric_limits<float>::quiet_NaN();
  for (int i = 0; i < 4; ++i) numbers[i] = 5;
  const std::int64_t counts[] = {1};
  const TensorView rows(numbers, DType::f32, {1, 1, 2, 4});
  KvCache cache(config, {.capacity = 2});
  cache.append(rows, rows, TensorView(counts, DType::i64, {1}));
  CHECK(cache.length(0) == 1);
  CHECK(read_floats(cache.keys()) == std::vector<double>{5, 5, 5, 5, 0, 0, 0, 0});
}
