#include "views.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace headwise;

namespace {

// The index of the n-th element in row-major order.
Dims index_of(std::int64_t n, const Dims& shape) {
  Dims index = shape;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    index[axis] = n % shape[axis];
    n /= shape[axis];
  }
  return index;
}

struct Layout {
  Dims shape, strides;
  std::int64_t first = 0, length = 0;  // where element 0 lies, and how many elements the memory has
};

// Axes in a random order, with gaps, some backwards.
Layout random_layout(std::mt19937& random, int rank) {
  std::int64_t sizes[max_rank];
  for (int axis = 0; axis < rank; ++axis) sizes[axis] = static_cast<std::int64_t>(random() % 4);
  Layout layout{Dims(sizes, static_cast<std::size_t>(rank)), Dims(sizes, static_cast<std::size_t>(rank)), 0, 1};
  std::vector<int> order;
  for (int axis = 0; axis < rank; ++axis) order.insert(order.begin() + random() % (order.size() + 1), axis);
  for (const int axis : order) {
    const std::int64_t size = std::max<std::int64_t>(layout.shape[axis], 1);
    layout.strides[axis] = layout.length;
    if (random() % 3 == 0) {
      layout.strides[axis] = -layout.length;
      layout.first += layout.length * (size - 1);
    }
    layout.length = layout.length * size + static_cast<std::int64_t>(random() % 2);
  }
  return layout;
}

template <class T>
void check_round_trip(const Layout& layout, DType dtype) {
  std::vector<T> memory(static_cast<std::size_t>(layout.length));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i + 1);
  const MutableTensorView view(memory.data() + layout.first, dtype, layout.shape, layout.strides);
  const std::int64_t count = element_count(layout.shape);
  std::vector<T> copy(static_cast<std::size_t>(count) + 1, T{99});
  copy_to_contiguous(view, copy.data());
  CHECK(copy.back() == T{99});
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t offset = layout.first + element_offset(view, index_of(i, layout.shape));
    REQUIRE(copy[static_cast<std::size_t>(i)] == memory[static_cast<std::size_t>(offset)]);
  }
  // Written back into zeroed memory, exactly the elements of the view return and the gaps stay zero.
  std::vector<T> expected(memory.size(), T{0});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto offset = static_cast<std::size_t>(layout.first + element_offset(view, index_of(i, layout.shape)));
    expected[offset] = memory[offset];
  }
  std::fill(memory.begin(), memory.end(), T{0});
  copy_from_contiguous(copy.data(), view);
  CHECK(memory == expected);
}

}  // namespace

TEST_CASE("views of any rank, order, gap and direction are copied both ways") {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    for (int rank = 0; rank <= max_rank; ++rank) {
      const Layout layout = random_layout(random, rank);
      CAPTURE(to_string(layout.shape));
      CAPTURE(to_string(layout.strides));
      check_round_trip<std::uint8_t>(layout, DType::u8);
      check_round_trip<std::uint16_t>(layout, DType::f16);
      check_round_trip<float>(layout, DType::f32);
      check_round_trip<std::int64_t>(layout, DType::i64);
    }
  }
}

TEST_CASE("a stride of zero repeats an element") {
  const float values[] = {1.0f, 2.0f};
  float copy[6] = {};
  copy_to_contiguous(TensorView(values, DType::f32, {3, 2}, {0, 1}), copy);
  CHECK(std::vector<float>(copy, copy + 6) == std::vector<float>{1, 2, 1, 2, 1, 2});
  copy_to_contiguous(TensorView(values, DType::f32, {2, 3}, {1, 0}), copy);
  CHECK(std::vector<float>(copy, copy + 6) == std::vector<float>{1, 1, 1, 2, 2, 2});
}

TEST_CASE("memory need not be aligned to the elements") {
  char bytes[1 + 4 * sizeof(float)];
  const float values[] = {1.0f, 2.0f, 3.0f, 4.0f};
  std::memcpy(bytes + 1, values, sizeof values);
  float copy[4] = {};
  copy_to_contiguous(TensorView(bytes + 1, DType::f32, {2, 2}, {1, 2}), copy);
  CHECK(std::vector<float>(copy, copy + 4) == std::vector<float>{1, 3, 2, 4});
}

TEST_CASE("contiguity ignores axes of size one and empty views") {
  const auto contiguous = [](const Dims& shape, const Dims& strides) {
    return is_contiguous(TensorView(nullptr, DType::f32, shape, strides));
  };
  CHECK(contiguous({}, {}));
  CHECK(contiguous({2, 3}, {3, 1}));
  CHECK(contiguous({2, 1, 3}, {3, 77, 1}));
  CHECK(contiguous({1}, {5}));
  CHECK(contiguous({0, 3}, {9, 9}));
  CHECK(!contiguous({2, 3}, {4, 1}));
  CHECK(!contiguous({2, 3}, {1, 2}));
  CHECK(!contiguous({3}, {2}));
  CHECK(!contiguous({3}, {0}));
  CHECK(!contiguous({3}, {-1}));
}

TEST_CASE("the byte range of a view covers its farthest elements") {
  float memory[12];
  const auto base = reinterpret_cast<std::uintptr_t>(memory);
  const auto range = [&](const Dims& shape, const Dims& strides, int first = 0) {
    return byte_range(TensorView(memory + first, DType::f32, shape, strides)).value();
  };
  CHECK(range({2, 3}, {6, 2}).begin == base);
  CHECK(range({2, 3}, {6, 2}).end == base + 11 * 4);
  CHECK(range({3}, {-2}, 4).begin == base);
  CHECK(range({3}, {-2}, 4).end == base + 5 * 4);
  CHECK(range({5, 0}, {1, 1}).end == base);
  CHECK(range({5}, {0}).end == base + 4);
  CHECK(range({2}, {1}).overlaps(range({2}, {1}, 1)));
  CHECK(!range({2}, {1}).overlaps(range({2}, {1}, 2)));
}

TEST_CASE("a byte range that leaves the address space is none") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(!byte_range(TensorView(nullptr, DType::f32, {3}, {huge})));
  CHECK(!byte_range(TensorView(nullptr, DType::f32, {huge}, {1})));
  CHECK(!byte_range(TensorView(nullptr, DType::f32, {2}, {-1})));
  CHECK(!byte_range(TensorView(nullptr, DType::f32, {2, 2}, {huge, huge})));
}
