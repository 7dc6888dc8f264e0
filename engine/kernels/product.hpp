// What goes into the kernel for products with weights: y = x·Wᵀ + b.
#pragma once

#include <cstdint>

#include "activate.hpp"

namespace headwise::kernels {

// W lies in panels of KernelTable::panel output columns: [⌈out / panel⌉][in][panel] floats, 64-byte aligned; what
// stands behind the last column is of no consequence. The features are summed in slices, each in one chain, and the
// bias is added last, so a row's bits do not depend on how many rows run with it.
struct ProductTask {
  const float* x;  // rows × in
  float* y;        // rows × out
  std::int64_t rows, x_stride, y_stride;
  const float* panels;
  const float* bias;  // [⌈out / panel⌉ · panel], aligned as the panels, or nullptr
  std::int64_t in, out;
  std::int64_t slice;                        // features of every slice but the last, which may have fewer
  Activation activation = Activation::none;  // of the finished sums, applied while a panel of them is near the core
};

}  // namespace headwise::kernels
