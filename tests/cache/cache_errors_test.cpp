// Whatever does not fit is refused by name, and the cache stays as it was.
#include <doctest/doctest.h>

#include <climits>
#include <cstring>

#include "expect_error.hpp"
#include "headwise/kv_cache.hpp"

using namespace headwise;

namespace {

const AttentionConfig config{.num_heads = 2, .head_dim = 3, .value_dim = 2};

struct Call {
  KvCache cache{config, {.batch = 2, .capacity = 4}};
  Tensor key{DType::f32, {2, 2, 3, 3}}, value{DType::f32, {2, 2, 3, 2}}, counts{DType::i32, {2}};
  TensorView key_view = key, value_view = value, counts_view = counts;

  Call() {
    for (std::int64_t i = 0; i < key.size(); ++i) key.data()[i] = 1;
    for (std::int64_t i = 0; i < value.size(); ++i) value.data()[i] = 1;
    counts.data<std::int32_t>()[0] = counts.data<std::int32_t>()[1] = 1;
    cache.append(key, value, counts);
  }
};

template <class Spoil>
void expect_refused(const std::vector<std::string>& words, const Spoil& spoil) {
  Call call;
  const Tensor keys = convert(call.cache.keys(), DType::f32), values = convert(call.cache.values(), DType::f32);
  for (std::int64_t i = 0; i < call.key.size(); ++i) call.key.data()[i] = 2;
  spoil(call);
  expect_error(ErrorCode::invalid_argument, words,
               [&] { call.cache.append(call.key_view, call.value_view, call.counts_view); });
  CHECK(call.cache.length(0) == 1);
  CHECK(std::memcmp(keys.data(), call.cache.keys().data, sizeof(float) * std::size_t(keys.size())) == 0);
  CHECK(std::memcmp(values.data(), call.cache.values().data, sizeof(float) * std::size_t(values.size())) == 0);
}

}  // namespace

TEST_CASE("errors: keys and values of an append") {
  expect_refused({"key is missing"}, [](Call& call) { call.key_view = {}; });
  expect_refused({"value is missing"}, [](Call& call) { call.value_view = {}; });
  expect_refused({"key must be f32, f16 or bf16, not f64"}, [](Call& call) { call.key_view.dtype = DType::f64; });
  expect_refused({"value must be", "i8"}, [](Call& call) { call.value_view.dtype = DType::i8; });
  expect_refused({"value has no memory"}, [](Call& call) { call.value_view.data = nullptr; });
  expect_refused({"key has strides"}, [](Call& call) { call.key_view.strides = Dims{1}; });
  expect_refused({"key has shape [3, 2, 3, 3]; expected [2, 2, 3, 3]"}, [](Call& call) {
    call.key_view = {call.key.data(), DType::f32, {3, 2, 3, 3}, {0, 0, 0, 0}};
  });
  expect_refused({"key has shape [2, 2, 3]"}, [](Call& call) {
    call.key_view = {call.key.data(), DType::f32, {2, 2, 3}};
  });
  expect_refused({"value has shape [2, 2, 2, 2]; expected [2, 2, 3, 2]"}, [](Call& call) {
    call.value_view = {call.value.data(), DType::f32, {2, 2, 2, 2}};
  });
}

TEST_CASE("errors: too many tokens") {
  expect_refused({"cache holds 1 of 4 tokens in row 1; 4 more do not fit"}, [](Call& call) {
    call.key_view = {call.key.data(), DType::f32, {2, 2, 4, 3}, {0, 0, 0, 0}};
    call.value_view = {call.value.data(), DType::f32, {2, 2, 4, 2}, {0, 0, 0, 0}};
    call.counts.data<std::int32_t>()[1] = 4;
  });
  for (const std::int64_t n : {std::int64_t{5}, std::int64_t{1} << 40}) {
    expect_refused({"cache of 4 tokens", std::to_string(n) + " tokens at once"}, [&](Call& call) {
      call.key_view = {call.key.data(), DType::f32, {2, 2, n, 3}, {0, 0, 0, 0}};
      call.value_view = {call.value.data(), DType::f32, {2, 2, n, 2}, {0, 0, 0, 0}};
    });
  }
}

TEST_CASE("errors: counts") {
  expect_refused({"counts must be i32 or i64, not u8"}, [](Call& call) { call.counts_view.dtype = DType::u8; });
  expect_refused({"counts has shape [1]; expected [2]"}, [](Call& call) {
    call.counts_view = {call.counts.data<std::int32_t>(), DType::i32, {1}};
  });
  for (const std::int32_t count : {-1, 4, INT_MIN, INT_MAX}) {
    expect_refused({"counts holds " + std::to_string(count) + " for row 1; expected 0 to 3"},
                   [&](Call& call) { call.counts.data<std::int32_t>()[1] = count; });
  }
}

TEST_CASE("errors: tokens inside the cache's own memory") {
  expect_refused({"key overlaps the keys of the cache"}, [](Call& call) {
    call.key_view = {call.cache.keys().data, DType::f32, {2, 2, 3, 3}};
  });
  expect_refused({"value overlaps the keys of the cache"}, [](Call& call) {
    call.value_view = {call.cache.keys().data, DType::f32, {2, 2, 3, 2}};
  });
  expect_refused({"value overlaps the values of the cache"}, [](Call& call) {
    call.value_view = {call.cache.values().data, DType::f32, {2, 2, 3, 2}};
  });
}

TEST_CASE("errors: rows, lengths and counts of the other calls") {
  KvCache cache(config, {.batch = 2, .capacity = 4, .circular = true});
  const Tensor key(DType::f32, {2, 2, 3, 3}), value(DType::f32, {2, 2, 3, 2});
  for (int i = 0; i < 2; ++i) cache.append(key, value);  // length 6, oldest 2
  const auto refused = [](const std::vector<std::string>& words, const auto& call) {
    expect_error(ErrorCode::invalid_argument, words, call);
  };
  for (const std::int64_t row : {INT64_MIN, std::int64_t{-1}, std::int64_t{2}, INT64_MAX}) {
    const std::vector<std::string> words{"row is " + std::to_string(row), "has 2 rows"};
    refused(words, [&] { cache.length(row); });
    refused(words, [&] { cache.oldest(row); });
    refused(words, [&] { cache.truncate(row, 0); });
    refused(words, [&] { cache.roll_back(row, 0); });
    refused(words, [&] { cache.copy_row(row, 0); });
    refused(words, [&] { cache.copy_row(0, row); });
  }
  for (const std::int64_t length : {INT64_MIN, std::int64_t{1}, std::int64_t{7}, INT64_MAX}) {
    refused({"length is " + std::to_string(length), "row 1", "2 to 6"}, [&] { cache.truncate(1, length); });
  }
  for (const std::int64_t count : {INT64_MIN, std::int64_t{-1}, std::int64_t{5}, INT64_MAX}) {
    refused({"count is " + std::to_string(count), "row 0 holds 4 tokens"}, [&] { cache.roll_back(0, count); });
  }
  CHECK(cache.length(0) == 6);
  CHECK(cache.length(1) == 6);
}

TEST_CASE("errors: caches that cannot be") {
  const auto refused = [](const std::vector<std::string>& words, const AttentionConfig& sizes,
                          const KvCacheOptions& options) {
    expect_error(ErrorCode::invalid_argument, words, [&] { KvCache(sizes, options); });
  };
  for (const std::int64_t capacity : {INT64_MIN, std::int64_t{0}}) {
    refused({"capacity is " + std::to_string(capacity)}, config, {.capacity = capacity});
  }
  refused({"batch is negative: -1"}, config, {.batch = -1, .capacity = 1});
  refused({"dtype must be f32, f16 or bf16, not f64"}, config, {.capacity = 1, .dtype = DType::f64});
  refused({"dtype must be", "unknown"}, config, {.capacity = 1, .dtype = static_cast<DType>(99)});
  refused({"num_heads"}, {}, {.capacity = 1});
  refused({"elements"}, config, {.batch = INT64_MAX, .capacity = INT64_MAX});
}

TEST_CASE("errors: a cache that was moved from") {
  KvCache cache(config, {.capacity = 4});
  const KvCache target = std::move(cache);
  const Tensor key(DType::f32, {1, 2, 1, 3}), value(DType::f32, {1, 2, 1, 2});
  expect_error(ErrorCode::invalid_argument, {"cache was moved from"}, [&] { cache.append(key, value); });
  expect_error(ErrorCode::invalid_argument, {"row is 0", "0 rows"}, [&] { cache.length(0); });
  expect_error(ErrorCode::invalid_argument, {"row is 0", "0 rows"}, [&] { cache.copy_row(0, 0); });
  cache.clear();
  CHECK(!cache.fork().keys().given);
}
