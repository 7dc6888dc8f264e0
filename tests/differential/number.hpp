// Numbers that know how far an evaluation in lower precision may lie from them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace differential {

constexpr double dead = -std::numeric_limits<double>::infinity();
constexpr double anything = std::numeric_limits<double>::infinity();  // an error bound that nothing breaks

// What the definition gives, and the bound on |actual − value|, carried from step to step (first-order error analysis).
struct Number {
  double value = 0, error = 0;
};

// Of the arithmetic that is held against the reference. Each constant counts roundings of eps = 2^−23 (2^−52 for f64).
struct Precision {
  double eps = 0x1p-23;
  double lost = 2e-38;  // a weight below this may become 0
  double sums = 4;      // of a sum of products, relative to Σ|x·y|: rounding errors of n terms grow with √n
  double core = 8;      // of softmax and mix together, relative to Σp|v|: semantics.md
};

// A dense array of up to four axes.
template <class T>
class Grid {
 public:
  Grid() = default;
  Grid(std::int64_t n0, std::int64_t n1, std::int64_t n2, std::int64_t n3, T fill = {})
      : sizes_{n0, n1, n2, n3}, data_(static_cast<std::size_t>(n0 * n1 * n2 * n3), fill) {}
  T& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) { return data_[offset(a, b, c, d)]; }
  const T& at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return data_[offset(a, b, c, d)];
  }
  // Where a row starts; it may be empty.
  T* row(std::int64_t a, std::int64_t b, std::int64_t c) { return data_.data() + offset(a, b, c, 0); }
  const T* row(std::int64_t a, std::int64_t b, std::int64_t c) const { return data_.data() + offset(a, b, c, 0); }
  std::int64_t size(int axis) const { return sizes_[axis]; }
  const std::vector<T>& data() const { return data_; }
  std::vector<T>& data() { return data_; }

 private:
  std::size_t offset(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return static_cast<std::size_t>(((a * sizes_[1] + b) * sizes_[2] + c) * sizes_[3] + d);
  }
  std::int64_t sizes_[4] = {};
  std::vector<T> data_;
};

using Numbers = Grid<Number>;

}  // namespace differential
