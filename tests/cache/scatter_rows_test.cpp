#include <doctest/doctest.h>

#include <algorithm>
#include <climits>

#include "any_floats.hpp"
#include "expect_error.hpp"
#include "headwise/kv_cache.hpp"

using namespace headwise;

namespace {

// All elements as bytes, whatever their type.
std::vector<std::uint8_t> bytes_of(const TensorView& view) {
  const Tensor copy = convert(view, view.dtype);
  const auto* bytes = static_cast<const std::uint8_t*>(copy.view().data);
  return {bytes, bytes + copy.size() * std::int64_t(dtype_size(view.dtype))};
}

struct ScatterCall {
  std::int64_t batch, heads, capacity, size, count;
  bool circular, indexed;
  StridedTensor cache, update;
  std::vector<std::int64_t> indices;

  explicit ScatterCall(Random& random)
      : batch(random.below(3) + 1),
        heads(random.below(3) + 1),
        capacity(random.below(5) + 1),
        size(random.below(4)),
        count(random.below(capacity + 1)),
        circular(random.chance(0.5)),
        indexed(random.chance(0.8)) {
    const DType types[] = {DType::f32, DType::f64, DType::f16, DType::u8};
    const DType dtype = types[random.below(4)];
    cache = StridedTensor(dtype, {batch, heads, capacity, size}, random_layout(random, false), random);
    update = StridedTensor(dtype, {batch, heads, count, size}, random_layout(random, true), random);
    for (const StridedTensor* tensor : {&cache, &update}) {
      const auto fill = [&](auto word) {
        tensor->for_each<decltype(word)>([&](auto& x) { x = static_cast<decltype(word)>(random.bits()); });
      };
      const std::size_t bytes = dtype_size(dtype);
      bytes == 8   ? fill(std::uint64_t{})
      : bytes == 4 ? fill(std::uint32_t{})
      : bytes == 2 ? fill(std::uint16_t{})
                   : fill(std::uint8_t{});
    }
    for (std::int64_t b = 0; b < batch; ++b) {
      indices.push_back(!indexed ? 0 : circular ? random.below(20) : random.below(capacity - count + 1));
    }
  }
  // Row by row from the definition.
  std::vector<std::uint8_t> expected() const {
    std::vector<std::uint8_t> result = bytes_of(cache.view());
    const std::vector<std::uint8_t> rows = bytes_of(update.view());
    const std::int64_t row_bytes = size * std::int64_t(dtype_size(cache.view().dtype));
    for (std::int64_t head = 0; head < batch * heads; ++head) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t slot = (indices[std::size_t(head / heads)] + i) % capacity;
        std::copy_n(rows.begin() + (head * count + i) * row_bytes, row_bytes,
                    result.begin() + (head * capacity + slot) * row_bytes);
      }
    }
    return result;
  }
};

}  // namespace

TEST_CASE("scatter: all types, strides and places, linear and circular") {
  Random random(41);
  INFO("seed 41");
  for (int repeat = 0; repeat < 1500; ++repeat) {
    CAPTURE(repeat);
    const ScatterCall call(random);
    const std::vector<std::uint8_t> expected = call.expected();
    const TensorView indices(call.indices.data(), DType::i64, {call.batch});
    scatter_rows(call.cache.view(), call.update.view(), call.indexed ? indices : TensorView(), call.circular);
    REQUIRE(bytes_of(call.cache.view()) == expected);
  }
}

TEST_CASE("scatter: three axes, and indices far past the end of a circular cache") {
  float cache[6] = {};
  const float rows[] = {1, 2, 3, 4};
  const std::int64_t index[] = {INT64_MAX - 2};  // 2^63 − 3 = 2 modulo 3, and the row behind it is row 0
  scatter_rows({cache, DType::f32, {1, 3, 2}}, {rows, DType::f32, {1, 2, 2}}, {index, DType::i64, {1}}, true);
  CHECK(std::vector<float>(cache, cache + 6) == std::vector<float>{3, 4, 0, 0, 1, 2});
  const std::int64_t last[] = {INT64_MAX};  // 1 modulo 3: two rows from here on pass 2^63
  scatter_rows({cache, DType::f32, {1, 3, 2}}, {rows, DType::f32, {1, 2, 2}}, {last, DType::i64, {1}}, true);
  CHECK(std::vector<float>(cache, cache + 6) == std::vector<float>{3, 4, 1, 2, 3, 4});
}

TEST_CASE("errors: scatter") {
  Tensor cache(DType::f32, {2, 3, 4, 5}), update(DType::f32, {2, 3, 2, 5}), indices(DType::i32, {2});
  const auto refused = [&](const std::vector<std::string>& words, const MutableTensorView& to, const TensorView& from,
                           const TensorView& at, bool circular = false) {
    expect_error(ErrorCode::invalid_argument, words, [&] { scatter_rows(to, from, at, circular); });
    CHECK(std::all_of(cache.data(), cache.data() + cache.size(), [](float x) { return x == 0; }));
  };
  std::fill_n(update.data(), update.size(), 1.0f);
  refused({"cache is missing"}, {}, update, {});
  refused({"update is missing"}, cache, {}, {});
  refused({"cache has shape [4, 5]", "[B, …, capacity, size]"}, {cache.data(), DType::f32, {4, 5}}, update, {});
  refused({"cache has strides", "overwrite"}, {cache.data(), DType::f32, {2, 3, 4, 5}, {0, 20, 5, 1}}, update, {});
  refused({"update must be f32", "not i32"}, cache, {update.data(), DType::i32, {2, 3, 2, 5}}, {});
  refused({"update has shape [2, 3, 2, 4]; expected [2, 3, 2, 5]"}, cache, {update.data(), DType::f32, {2, 3, 2, 4}},
          {});
  refused({"update has shape [2, 2, 5]"}, cache, {update.data(), DType::f32, {2, 2, 5}}, {});
  for (const std::int64_t n : {std::int64_t{5}, std::int64_t{1} << 40}) {
    refused({"update has " + std::to_string(n) + " rows", "room for 4"}, cache,
            {update.data(), DType::f32, {2, 3, n, 5}, {0, 0, 0, 0}}, {}, true);
  }
  refused({"update overlaps cache"}, cache, {cache.data() + 7, DType::f32, {2, 3, 2, 5}}, {});
  refused({"write_indices must be i32 or i64"}, cache, update, {indices.data<std::int32_t>(), DType::u32, {2}});
  refused({"write_indices has shape [1]; expected [2]"}, cache, update,
          {indices.data<std::int32_t>(), DType::i32, {1}});
  refused({"cache overlaps write_indices"}, cache, update, {cache.data() + 3, DType::i32, {2}});
  for (const std::int32_t index : {-1, 3, INT_MIN, INT_MAX}) {
    indices.data<std::int32_t>()[1] = index;
    refused({"write_indices holds " + std::to_string(index) + " for sequence 1; expected 0 to 2"}, cache, update,
            indices);
    if (index < 0) refused({"write_indices holds", "no negative number"}, cache, update, indices, true);
  }
}

TEST_CASE("scatter: nothing to write looks at no index") {
  const std::int64_t index = -5, huge = std::int64_t{1} << 40;
  scatter_rows({nullptr, DType::f32, {huge, 0, 4, 5}}, {nullptr, DType::f32, {huge, 0, 2, 5}},
               {&index, DType::i64, {huge}, {0}});
}
