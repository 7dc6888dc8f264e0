// Tensors that lie in memory in every way that strides allow.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "headwise/tensor.hpp"
#include "random.hpp"

// Which freedoms a layout takes.
struct LayoutChoice {
  bool permuted = false, padded = false, reversed = false;
  double shared = 0;  // chance of a stride of 0, an axis
};

inline LayoutChoice random_layout(Random& random, bool may_share) {
  if (random.chance(0.4)) return {};
  return {random.chance(0.5), random.chance(0.5), random.chance(0.3), may_share && random.chance(0.2) ? 0.4 : 0};
}

// Memory of bytes around a view; `filler` stands wherever the view has no element.
class StridedTensor {
 public:
  StridedTensor() = default;
  StridedTensor(headwise::DType dtype, const headwise::Dims& shape, const LayoutChoice& choice, Random& random) {
    const std::size_t size = headwise::dtype_size(dtype);
    headwise::Dims strides = shape;
    std::int64_t first = 0;
    const std::int64_t count = lay_out(shape, choice, random, strides, first);
    memory_.resize(static_cast<std::size_t>(count) + 16);  // whole cache lines start somewhere inside
    char* data = reinterpret_cast<char*>(memory_.data());
    view_ = headwise::MutableTensorView(data + first * static_cast<std::int64_t>(size), dtype, shape, strides);
  }

  const headwise::MutableTensorView& view() const { return view_; }
  bool shares() const {
    bool result = false;
    for (int a = 0; a < view_.shape.rank(); ++a) result = result || (view_.shape[a] > 1 && view_.strides[a] == 0);
    return result;
  }
  // Fills all memory with one float, elements and what lies between them.
  void fill_marks(float mark) {
    const float pair[] = {mark, mark};
    for (double& word : memory_) std::memcpy(&word, pair, sizeof word);
  }
  bool holds_only(float mark) const {
    const float pair[] = {mark, mark};
    return std::all_of(memory_.begin(), memory_.end(),
                       [&](const double& word) { return std::memcmp(&word, pair, sizeof word) == 0; });
  }

  // Calls use(element address) for every element in row-major order.
  template <class T, class Use>
  void for_each(const Use& use) const {
    if (headwise::element_count(view_.shape) > 0) visit<T>(0, static_cast<T*>(view_.data), use);
  }

 private:
  template <class T, class Use>
  void visit(int axis, T* at, const Use& use) const {
    if (axis == view_.shape.rank()) return use(*at);
    for (std::int64_t i = 0; i < view_.shape[axis]; ++i) visit<T>(axis + 1, at + i * view_.strides[axis], use);
  }

  // Returns the number of elements that the memory must hold.
  static std::int64_t lay_out(const headwise::Dims& shape, const LayoutChoice& choice, Random& random,
                              headwise::Dims& strides, std::int64_t& first) {
    std::array<int, headwise::max_rank> order{};
    std::iota(order.begin(), order.end(), 0);
    const int rank = shape.rank();
    for (int i = rank - 1; i > 0 && choice.permuted; --i) {
      std::swap(order[std::size_t(i)], order[std::size_t(random.below(i + 1))]);
    }
    std::int64_t next = choice.padded ? random.below(2) + 1 : 1;
    for (int i = rank - 1; i >= 0; --i) {
      const int axis = order[std::size_t(i)];
      const bool shared = random.chance(choice.shared);
      strides[axis] = shared ? 0 : next;
      if (!shared) next = next * std::max<std::int64_t>(shape[axis], 1) + (choice.padded ? random.below(5) : 0);
    }
    for (int axis = 0; axis < rank; ++axis) {
      if (shape[axis] < 2 || !choice.reversed || random.chance(0.5)) continue;
      first += strides[axis] * (shape[axis] - 1);
      strides[axis] = -strides[axis];
    }
    return next;
  }

  // Doubles: aligned for every element type, and one type for all.
  std::vector<double> memory_;
  headwise::MutableTensorView view_;
};

// f32 with random numbers; NaN stands between the elements.
inline StridedTensor random_floats(Random& random, const headwise::Dims& shape, bool may_share, float limit = 1) {
  StridedTensor tensor(headwise::DType::f32, shape, random_layout(random, may_share), random);
  tensor.fill_marks(std::numeric_limits<float>::quiet_NaN());
  tensor.for_each<float>([&](float& x) { x = random.uniform(-limit, limit); });
  return tensor;
}
