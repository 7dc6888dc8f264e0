#include "view_checks.hpp"

#include <doctest/doctest.h>

#include <climits>
#include <set>
#include <vector>

#include "../support/expect_error.hpp"
#include "../support/random.hpp"
#include "numbers.hpp"
#include "views.hpp"

using namespace headwise;

namespace {

alignas(8) char memory[4096];

// A view of some rank somewhere in the middle of `memory`, small steps in any direction.
MutableTensorView random_view(Random& random) {
  const DType dtype = random.chance(0.5) ? DType::f16 : DType::f32;
  const auto rank = static_cast<std::size_t>(random.below(4));
  std::int64_t sizes[max_rank] = {}, steps[max_rank] = {};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    sizes[axis] = random.below(5);
    steps[axis] = random.below(41) - 20;
  }
  char* first = memory + 2048 + 4 * random.below(16);
  return {first, dtype, Dims(sizes, rank), Dims(steps, rank)};
}

// The addresses of all bytes; `twice` is set when two elements share one.
std::set<const char*> bytes_of(const TensorView& view, bool& twice) {
  std::set<const char*> bytes;
  twice = false;
  for_each_index(view.shape, [&](const Dims& index) {
    const auto size = static_cast<std::int64_t>(dtype_size(view.dtype));
    const char* element = static_cast<const char*>(view.data) + element_offset(view, index) * size;
    for (std::int64_t byte = 0; byte < size; ++byte) twice = !bytes.insert(element + byte).second || twice;
  });
  return bytes;
}

bool writable(const MutableTensorView& view) {
  try {
    require_writable("output", view, all_types);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("views overlap exactly when they share a byte") {
  Random random(11);
  INFO("seed 11");
  int overlaps = 0;
  for (int repeat = 0; repeat < 20000; ++repeat) {
    const MutableTensorView a = random_view(random), b = random_view(random);
    bool twice = false;
    const auto bytes_a = bytes_of(a, twice), bytes_b = bytes_of(b, twice);
    bool shared = false;
    for (const char* byte : bytes_a) shared = shared || bytes_b.count(byte) > 0;
    CAPTURE(repeat);
    REQUIRE(views_overlap(a, b) == shared);
    overlaps += shared;
  }
  CHECK(overlaps > 1000);
  CHECK(overlaps < 19000);
}

TEST_CASE("a view whose elements share memory is never writable") {
  Random random(12);
  INFO("seed 12");
  int accepted = 0;
  for (int repeat = 0; repeat < 5000; ++repeat) {
    const MutableTensorView view = random_view(random);
    bool twice = false;
    bytes_of(view, twice);
    CAPTURE(repeat);
    const bool taken = writable(view);
    REQUIRE(!(twice && taken));
    accepted += taken;
  }
  CHECK(accepted > 1000);
}

TEST_CASE("interleaved slices of one large tensor are told apart quickly") {
  const Dims shape{64, 1024, 32, 128}, strides{1024 * 32 * 384, 32 * 384, 384, 1};
  const auto slice = [&](std::int64_t first) {
    return TensorView(reinterpret_cast<const float*>(std::uintptr_t{1} << 32) + first, DType::f32, shape, strides);
  };
  CHECK(!views_overlap(slice(0), slice(128)));
  CHECK(!views_overlap(slice(256), slice(128)));
  CHECK(views_overlap(slice(0), slice(127)));
  CHECK(views_overlap(slice(384), slice(0)));
  CHECK(same_elements(slice(3), slice(3)));
  CHECK(!same_elements(slice(3), slice(4)));
}

TEST_CASE("errors: views that cannot be read") {
  float number[4] = {};
  const auto refused = [&](const std::vector<std::string>& words, const TensorView& view) {
    expect_error(ErrorCode::invalid_argument, words, [&] { require_readable("query", view, float_types); });
  };
  refused({"query is missing"}, {});
  refused({"query must be f32, f16, bf16 or f64, not i32"}, {number, DType::i32, {1}});
  refused({"query must be", "unknown type (77)"}, TensorView(number, static_cast<DType>(77), {1}, {1}));
  refused({"query has strides [1, 1] for shape [4]"}, {number, DType::f32, {4}, {1, 1}});
  refused({"query has shape [2, -1]", "negative"}, {number, DType::f32, {2, -1}, {1, 1}});
  refused({"2^63"}, {number, DType::f32, {INT64_MAX, 3}, {0, 0}});
  refused({"query has no memory"}, {nullptr, DType::f32, {1}});
  refused({"query starts at", "multiple", "f32"}, {reinterpret_cast<char*>(number) + 2, DType::f32, {1}});
  for (const std::int64_t stride : {INT64_MAX, INT64_MIN, INT64_MAX / 2}) {
    refused({"query", "address space"}, {number, DType::f32, {3}, {stride}});
  }
  require_readable("query", {nullptr, DType::f32, {0, 3}}, float_types);
  require_readable("query", {number, DType::f32, {1}, {INT64_MIN}}, float_types);
  require_writable("query", {number, DType::f32, {1, 4}, {INT64_MIN, 1}}, float_types);
}

TEST_CASE("errors: outputs that overwrite themselves, shapes, overlaps") {
  float number[4] = {};
  expect_error(ErrorCode::invalid_argument, {"output has strides [0] for shape [2]", "overwrite"}, [&] {
    require_writable("output", {number, DType::f32, {2}, {0}}, float_types);
  });
  expect_error(ErrorCode::invalid_argument, {"output has shape [2]; expected [3]"}, [&] {
    require_shape("output", {number, DType::f32, {2}}, {3});
  });
  const TensorView view(number, DType::f32, {2});
  expect_error(ErrorCode::invalid_argument, {"output overlaps input in memory"},
               [&] { require_apart("output", view, "input", view); });
  require_apart("output", view, "input", TensorView(number + 2, DType::f32, {2}));
}

TEST_CASE("single elements of every floating and id type") {
  for (const DType dtype : float_types) {
    Tensor tensor(dtype, {3});
    store_float(tensor.mutable_view(), 1, -1.5);
    CHECK(float_at(tensor, 1) == -1.5);
    CHECK(float_at(tensor, 0) == 0);
    store_float(tensor.mutable_view(), 2, 1 + 0.75 * 0x1p-7);
    CHECK(float_at(tensor, 2) == (dtype == DType::bf16 ? 1 + 0x1p-7 : 1 + 0.75 * 0x1p-7));
  }
  const std::int32_t small[] = {1, -7};
  const std::int64_t large[] = {1, INT64_MIN};
  CHECK(id_at({small, DType::i32, {2}}, 1) == -7);
  CHECK(id_at({large, DType::i64, {2}}, 1) == INT64_MIN);
}

TEST_CASE("every index of a shape in row-major order") {
  std::vector<std::int64_t> seen;
  for_each_index({2, 3}, [&](const Dims& index) { seen.push_back(10 * index[0] + index[1]); });
  CHECK(seen == std::vector<std::int64_t>{0, 1, 2, 10, 11, 12});
  int calls = 0;
  for_each_index({}, [&](const Dims&) { ++calls; });
  CHECK(calls == 1);
  for_each_index({INT64_MAX, 0}, [&](const Dims&) { ++calls; });
  CHECK(calls == 1);
}
