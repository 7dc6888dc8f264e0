// Every argument of apply_rotary that does not fit is refused by name before anything is written.
#include <doctest/doctest.h>

#include <algorithm>
#include <climits>

#include "expect_error.hpp"
#include "headwise/positions.hpp"

using namespace headwise;

namespace {

const Dims no_strides{};
const Dims input_shape{2, 3, 4, 6}, table_shape{5, 3}, ids_shape{2, 4};

struct Call {
  Tensor input = Tensor(input_shape), output = Tensor(input_shape);
  Tensor cos = Tensor(table_shape), sin = Tensor(table_shape), ids = Tensor(DType::i32, ids_shape);
  RotaryInputs in{.input = input.view(), .cos = cos.view(), .sin = sin.view(), .position_ids = ids.view()};
  MutableTensorView out = output.mutable_view();
};

template <class Spoil>
void expect_refused(const std::vector<std::string>& words, const Spoil& spoil) {
  Call call;
  apply_rotary(call.in, call.out);
  std::fill_n(call.output.data(), call.output.size(), 7.0f);
  spoil(call);
  expect_error(ErrorCode::invalid_argument, words, [&] { apply_rotary(call.in, call.out); });
  CHECK(std::all_of(call.output.data(), call.output.data() + call.output.size(), [](float x) { return x == 7; }));
}

}  // namespace

TEST_CASE("errors: input and output of a rotation") {
  expect_refused({"input is missing"}, [](Call& call) { call.in.input = {}; });
  expect_refused({"output is missing"}, [](Call& call) { call.out = {}; });
  expect_refused({"input must be", "i32"}, [](Call& call) { call.in.input.dtype = DType::i32; });
  expect_refused({"input must be", "unknown type"}, [](Call& call) { call.in.input.dtype = static_cast<DType>(200); });
  expect_refused({"input has shape [2, 3, 4]", "[B, H, L, d]"}, [](Call& call) {
    call.in.input = TensorView(call.input.data(), DType::f32, {2, 3, 4});
  });
  expect_refused({"input has no memory"}, [](Call& call) { call.in.input.data = nullptr; });
  expect_refused({"output has no memory"}, [](Call& call) { call.out.data = nullptr; });
  expect_refused({"input has strides"}, [](Call& call) { call.in.input.strides = no_strides; });
  expect_refused({"output must be f32", "not f64"}, [](Call& call) { call.out.dtype = DType::f64; });
  expect_refused({"output has shape", "expected [2, 3, 4, 6]"}, [](Call& call) {
    call.out = {call.output.data(), DType::f32, {2, 3, 4, 5}};
  });
  expect_refused({"output has strides", "overwrite"}, [](Call& call) { call.out.strides[2] = 0; });
  expect_refused({"address space"}, [](Call& call) { call.out.strides[0] = INT64_MAX; });
  expect_refused({"layout", "4"}, [](Call& call) { call.in.layout = static_cast<RotaryLayout>(4); });
}

TEST_CASE("errors: tables of a rotation") {
  expect_refused({"cos is missing"}, [](Call& call) { call.in.cos = {}; });
  expect_refused({"sin is missing"}, [](Call& call) { call.in.sin = {}; });
  expect_refused({"cos must be", "i32"}, [](Call& call) { call.in.cos.dtype = DType::i32; });
  expect_refused({"sin has no memory"}, [](Call& call) { call.in.sin.data = nullptr; });
  expect_refused({"cos has shape [5, 3]", "[B, L, dim/2] without position_ids"},
                 [](Call& call) { call.in.position_ids = {}; });
  expect_refused({"cos has shape [1, 5, 3]", "[positions, dim/2] with position_ids"}, [](Call& call) {
    call.in.cos = {call.cos.data(), DType::f32, {1, 5, 3}};
  });
  expect_refused({"sin has shape [3, 5]; expected [5, 3]"}, [](Call& call) {
    call.in.sin = {call.sin.data(), DType::f32, {3, 5}};
  });
  expect_refused({"cos has shape [2, 3, 2]; expected [2, 4, 2]"}, [](Call& call) {
    call.in.position_ids = {};
    call.in.cos = {call.cos.data(), DType::f32, {2, 3, 2}};
  });
  for (const std::int64_t half : {std::int64_t{4}, INT64_MAX}) {
    expect_refused({"cos turns " + std::to_string(half) + " pairs", "at most half of the 6"}, [&](Call& call) {
      call.in.cos = {call.cos.data(), DType::f32, {1, half}, {0, 0}};
    });
  }
}

TEST_CASE("errors: position ids") {
  expect_refused({"position_ids must be i32 or i64, not f32"},
                 [](Call& call) { call.in.position_ids.dtype = DType::f32; });
  expect_refused({"position_ids has shape [4, 2]; expected [2, 4]"}, [](Call& call) {
    call.in.position_ids = {call.ids.data<std::int32_t>(), DType::i32, {4, 2}};
  });
  expect_refused({"position_ids has shape [3]"}, [](Call& call) {
    call.in.position_ids = {call.ids.data<std::int32_t>(), DType::i32, {3}};
  });
  expect_refused({"position_ids has no memory"}, [](Call& call) { call.in.position_ids.data = nullptr; });
  for (const std::int32_t id : {-1, 5, INT_MIN, INT_MAX}) {
    expect_refused({"position_ids holds " + std::to_string(id) + " for token 2 of sequence 1", "5 positions"},
                   [&](Call& call) { call.ids.data<std::int32_t>()[6] = id; });
  }
  for (const std::int64_t id : {INT64_MIN, INT64_MAX}) {
    const std::int64_t ids[] = {0, id, 0, 0};
    expect_refused({"position_ids holds " + std::to_string(id) + " for token 1 of sequence 0"}, [&](Call& call) {
      call.in.position_ids = {ids, DType::i64, {4}};
    });
  }
}

TEST_CASE("errors: overlaps of a rotation") {
  const auto shifted = [](const Tensor& tensor, std::int64_t by) {
    return TensorView(tensor.data() + by, DType::f32, {2, 3, 4, 5}, {72, 24, 6, 1});
  };
  expect_refused({"output overlaps input in memory"}, [&](Call& call) {
    call.in.input = shifted(call.output, 1);
    call.out = {call.output.data(), DType::f32, {2, 3, 4, 5}, {72, 24, 6, 1}};
    call.in.cos = TensorView(call.cos.data(), DType::f32, {5, 2}, {3, 1});
    call.in.sin = TensorView(call.sin.data(), DType::f32, {5, 2}, {3, 1});
  });
  expect_refused({"output overlaps input"},  // the same memory the other way round
                 [](Call& call) {
                   call.in.input = TensorView(call.output.data() + 143, DType::f32, {2, 3, 4, 6}, {-72, -24, -6, -1});
                 });
  expect_refused({"output overlaps cos"}, [](Call& call) {
    call.in.cos = TensorView(call.output.data() + 30, DType::f32, {5, 3});
  });
  expect_refused({"output overlaps sin"}, [](Call& call) {
    call.in.sin = TensorView(call.output.data() + 30, DType::f32, {5, 3});
  });
}

TEST_CASE("errors: position ids inside the output") {
  Call call;
  std::fill_n(call.output.data(), call.output.size(), 0.0f);
  call.in.position_ids = {call.output.data() + 8, DType::i32, {2, 4}};
  expect_error(ErrorCode::invalid_argument, {"output overlaps position_ids"}, [&] { apply_rotary(call.in, call.out); });
}
