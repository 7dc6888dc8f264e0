#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "checked.hpp"
#include "expect_error.hpp"
#include "headwise/tensor.hpp"

using namespace headwise;

TEST_CASE("checked arithmetic says when the exact result does not fit") {
  CHECK(checked_multiply<std::int64_t>(1ll << 31, 1ll << 31) == 1ll << 62);
  CHECK(!checked_multiply<std::int64_t>(1ll << 32, 1ll << 31));
  CHECK(checked_multiply<std::uint64_t>(1ull << 32, 1ull << 31) == 1ull << 63);
  CHECK(!checked_multiply<std::uint64_t>(1ull << 32, 1ull << 32));
  CHECK(checked_add<std::uint64_t>(~0ull - 1, 1) == ~0ull);
  CHECK(!checked_add<std::uint64_t>(~0ull, 1));
  CHECK(!checked_add<std::int64_t>(std::numeric_limits<std::int64_t>::min(), -1));
}

TEST_CASE("error codes have the names that are documented") {
  CHECK(std::string(error_code_name(ErrorCode::invalid_argument)) == "invalid_argument");
  CHECK(std::string(error_code_name(ErrorCode::unsupported)) == "unsupported");
  CHECK(std::string(error_code_name(ErrorCode::bad_file)) == "bad_file");
  CHECK(std::string(error_code_name(ErrorCode::io)) == "io");
  CHECK(std::string(error_code_name(ErrorCode::out_of_memory)) == "out_of_memory");
  CHECK(std::string(error_code_name(ErrorCode::internal)) == "internal");
}

TEST_CASE("types have names and sizes") {
  const std::pair<DType, std::pair<std::string, std::size_t>> expected[] = {
      {DType::f32, {"f32", 4}},     {DType::f64, {"f64", 8}}, {DType::f16, {"f16", 2}}, {DType::bf16, {"bf16", 2}},
      {DType::i64, {"i64", 8}},     {DType::i32, {"i32", 4}}, {DType::i16, {"i16", 2}}, {DType::i8, {"i8", 1}},
      {DType::u64, {"u64", 8}},     {DType::u32, {"u32", 4}}, {DType::u16, {"u16", 2}}, {DType::u8, {"u8", 1}},
      {DType::boolean, {"bool", 1}}};
  for (const auto& [dtype, row] : expected) {
    CHECK(dtype_name(dtype) == row.first);
    CHECK(dtype_size(dtype) == row.second);
  }
}

TEST_CASE("dims hold up to eight numbers") {
  const Dims dims{2, 10, 64};
  CHECK(dims.rank() == 3);
  CHECK(dims[2] == 64);
  CHECK(to_string(dims) == "[2, 10, 64]");
  CHECK(to_string(Dims{}) == "[]");
  CHECK(dims == Dims{2, 10, 64});
  CHECK(!(dims == Dims{2, 10}));
  CHECK(Dims{1, 2, 3, 4, 5, 6, 7, 8}.rank() == max_rank);
  expect_error(ErrorCode::invalid_argument, {"rank 9", "8"}, [] { Dims{1, 2, 3, 4, 5, 6, 7, 8, 9}; });
}

TEST_CASE("element counts refuse negative sizes and overflow") {
  CHECK(element_count({}) == 1);
  CHECK(element_count({3, 4}) == 12);
  CHECK(element_count({0, 1ll << 62, 4}) == 0);
  CHECK(element_count({1ll << 62}) == 1ll << 62);
  expect_error(ErrorCode::invalid_argument, {"negative", "[2, -1]"}, [] { element_count({2, -1}); });
  expect_error(ErrorCode::invalid_argument, {"negative"}, [] { element_count({-2, -2}); });
  expect_error(ErrorCode::invalid_argument, {"2^63"}, [] { element_count({1ll << 32, 1ll << 31}); });
  expect_error(ErrorCode::invalid_argument, {"2^63"}, [] { element_count({1ll << 32, 1ll << 31, 0}); });
}

TEST_CASE("contiguous strides are row-major") {
  CHECK(contiguous_strides({2, 3, 4}) == Dims{12, 4, 1});
  CHECK(contiguous_strides({}) == Dims{});
  CHECK(contiguous_strides({2, 0, 4}) == Dims{4, 4, 1});
  CHECK(contiguous_strides({0, 1ll << 62, 4}).rank() == 3);
  expect_error(ErrorCode::invalid_argument, {"negative"}, [] { contiguous_strides({-1}); });
}

TEST_CASE("a tensor is zero, aligned and owns its memory") {
  const Tensor tensor({3, 5});
  CHECK(tensor.given());
  CHECK(tensor.size() == 15);
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64 == 0);
  for (std::int64_t i = 0; i < tensor.size(); ++i) CHECK(tensor.data()[i] == 0.0f);
  CHECK(Tensor(DType::i64, {0, 4}).view().data != nullptr);
  CHECK(Tensor(DType::f64, {}).size() == 1);
  CHECK(!Tensor().given());
  CHECK(Tensor().size() == 0);
}

TEST_CASE("copies of a tensor are deep, moves leave nothing behind") {
  Tensor first({2});
  first.data()[1] = 3.0f;
  Tensor copy = first;
  copy.data()[1] = 4.0f;
  CHECK(first.data()[1] == 3.0f);
  const Tensor moved = std::move(first);
  CHECK(moved.data()[1] == 3.0f);
  CHECK(!first.given());
  copy = moved;
  CHECK(copy.data()[1] == 3.0f);
  CHECK(!Tensor(Tensor()).given());
}

TEST_CASE("data of another type or of no tensor is refused") {
  Tensor tensor(DType::f64, {1});
  CHECK(tensor.data<double>()[0] == 0.0);
  expect_error(ErrorCode::invalid_argument, {"f64", "f32"}, [&] { tensor.data(); });
  expect_error(ErrorCode::invalid_argument, {"not given"}, [] { Tensor().data(); });
}

TEST_CASE("a tensor with more bytes than a size can count is refused") {
  expect_error(ErrorCode::invalid_argument, {"[4611686018427387904]"}, [] { Tensor({1ll << 62}); });
}

// AddressSanitizer ends the process at such a request instead of returning a null pointer. GCC says with a macro that
// it is on, Clang with a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a tensor that memory cannot hold is an error, not a crash") {
  expect_error(ErrorCode::out_of_memory, {"bytes"}, [] { Tensor({1ll << 50}); });
}
#endif

TEST_CASE("a mutable view is readable, a default view is not given") {
  float value = 1.0f;
  const MutableTensorView view(&value, DType::f32, {1});
  const TensorView readable = view;
  CHECK(readable.data == &value);
  CHECK(readable.given);
  CHECK(!TensorView().given);
}

TEST_CASE("memory of tensors is aligned to a line, from 2 MiB on to a huge page, and zero") {
  for (const std::int64_t bytes : {0l, 1l, 63l, (2l << 20) - 1, 2l << 20, (5l << 20) + 3}) {
    CAPTURE(bytes);
    const Tensor tensor(DType::u8, {bytes});
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.view().data);
    CHECK(address % (bytes >= (2 << 20) ? 2 << 20 : 64) == 0);
    const auto* data = static_cast<const unsigned char*>(tensor.view().data);
    CHECK(std::count(data, data + bytes, 0) == bytes);
  }
}
