#include "convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "expect_error.hpp"

using namespace headwise;

namespace {

template <class T>
Tensor tensor_of(const std::vector<T>& values) {
  Tensor tensor(dtype_of<T>(), {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.data<T>());
  return tensor;
}

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

constexpr DType all_types[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64, DType::i32,    DType::i16,
                               DType::i8,  DType::u64, DType::u32, DType::u16,  DType::u8,  DType::boolean};

bool is_floating(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::f16 || dtype == DType::bf16;
}

}  // namespace

TEST_CASE("small integers survive every conversion that is allowed") {
  const Tensor source = tensor_of<std::int64_t>({0, 1, 2, 100, 127});
  for (const DType first : all_types) {
    for (const DType second : all_types) {
      if (first == DType::boolean || second == DType::boolean || (is_floating(first) && !is_floating(second))) continue;
      CAPTURE(dtype_name(first));
      CAPTURE(dtype_name(second));
      const Tensor result = convert(convert(source, first), second);
      CHECK(result.dtype() == second);
      CHECK(values_of<double>(convert(result, DType::f64)) == std::vector<double>{0, 1, 2, 100, 127});
    }
  }
}

TEST_CASE("a floating type is not converted to an integer or to bool") {
  for (const DType from : all_types) {
    for (const DType to : all_types) {
      if (!is_floating(from) || is_floating(to)) continue;
      expect_error(ErrorCode::unsupported, {"floating"}, [&] { convert(Tensor(from, {1}), to); });
    }
  }
}

TEST_CASE("an integer that does not fit is refused") {
  expect_error(ErrorCode::invalid_argument, {"128"}, [] { convert(tensor_of<std::int64_t>({128}), DType::i8); });
  expect_error(ErrorCode::invalid_argument, {"-1"}, [] { convert(tensor_of<std::int32_t>({-1}), DType::u64); });
  expect_error(ErrorCode::invalid_argument, {"does not fit"},
               [] { convert(tensor_of<std::uint64_t>({1ull << 63}), DType::i64); });
  CHECK(values_of<std::int8_t>(convert(tensor_of<std::int64_t>({-128}), DType::i8))[0] == -128);
}

TEST_CASE("any nonzero number or byte is true") {
  Tensor stored(DType::boolean, {4});
  const unsigned char bytes[] = {0, 1, 2, 255};
  std::memcpy(stored.mutable_view().data, bytes, sizeof bytes);
  CHECK(values_of<std::int32_t>(convert(stored, DType::i32)) == std::vector<std::int32_t>{0, 1, 1, 1});
  CHECK(values_of<float>(convert(stored, DType::f32)) == std::vector<float>{0, 1, 1, 1});
  const Tensor clean = convert(stored, DType::boolean);
  const unsigned char expected[] = {0, 1, 1, 1};
  CHECK(std::memcmp(clean.view().data, expected, sizeof expected) == 0);
  CHECK(values_of<bool>(convert(tensor_of<std::int64_t>({0, -7}), DType::boolean)) == std::vector<bool>{false, true});
}

TEST_CASE("doubles round to the nearest float and NaN stays NaN") {
  const auto values = values_of<float>(convert(tensor_of<double>({0.1, 1e300, -1e-60, NAN, -INFINITY}), DType::f32));
  CHECK(values[0] == 0.1f);
  CHECK(values[1] == INFINITY);
  CHECK((values[2] == 0.0f && std::signbit(values[2])));
  CHECK(std::isnan(values[3]));
  CHECK(values[4] == -INFINITY);
}

TEST_CASE("f16 and bf16 convert element by element") {
  const Tensor half = convert(tensor_of<float>({1.5f, -65504.0f}), DType::f16);
  CHECK(values_of<float>(convert(half, DType::f32)) == std::vector<float>{1.5f, -65504.0f});
  const Tensor brain = convert(half, DType::bf16);
  CHECK(values_of<float>(convert(brain, DType::f32)) == std::vector<float>{1.5f, -65536.0f});
  CHECK(values_of<double>(convert(brain, DType::f64)) == std::vector<double>{1.5, -65536.0});
}

TEST_CASE("any strides and alignment become a contiguous copy") {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const TensorView transposed(values.data(), DType::f32, {3, 2}, {1, 3});
  CHECK(values_of<float>(convert(transposed, DType::f32)) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(values_of<double>(convert(transposed, DType::f64)) == std::vector<double>{1, 4, 2, 5, 3, 6});
  char bytes[1 + sizeof(float)];
  std::memcpy(bytes + 1, values.data(), sizeof(float));
  CHECK(values_of<double>(convert(TensorView(bytes + 1, DType::f32, {1}), DType::f64))[0] == 1.0);
  CHECK(convert(Tensor({0, 3}), DType::f64).shape() == Dims{0, 3});
  expect_error(ErrorCode::invalid_argument, {"not given"}, [] { convert(TensorView(), DType::f32); });
}

TEST_CASE("convert: types that are none and strides out of the address space are refused") {
  float values[64] = {};
  const auto nothing = static_cast<DType>(77);
  CHECK(dtype_size(nothing) == 0);
  CHECK(std::string(dtype_name(nothing)) == "unknown");
  expect_error(ErrorCode::invalid_argument, {"dtype"}, [&] { Tensor(nothing, {3}); });
  expect_error(ErrorCode::invalid_argument, {"dtype"}, [&] { convert(TensorView(values, nothing, {4}), DType::f32); });
  expect_error(ErrorCode::invalid_argument, {"dtype"}, [&] { convert(TensorView(values, DType::f32, {4}), nothing); });
  for (const std::int64_t stride : {INT64_MIN, INT64_MAX / 8, INT64_MAX}) {
    const TensorView view(values, DType::f32, {8, 8}, {stride, stride});
    expect_error(ErrorCode::invalid_argument, {"address space"}, [&] { convert(view, DType::f32); });
    expect_error(ErrorCode::invalid_argument, {"address space"}, [&] { save_npy("/dev/null", view); });
  }
}

TEST_CASE("convert: a view with elements but no memory is refused, one without elements needs none") {
  const TensorView nothing(nullptr, DType::f32, {2, 3}), empty(nullptr, DType::f32, {0, 3});
  for (const DType dtype : {DType::f32, DType::f64}) {
    expect_error(ErrorCode::invalid_argument, {"null"}, [&] { convert(nothing, dtype); });
    CHECK(convert(empty, dtype).size() == 0);
  }
}
