// What goes into the kernel for layer normalisation (Ba et al. 2016).
#pragma once

#include <cstdint>

namespace headwise::kernels {

// y = (s − mean(s)) / √(variance(s) + epsilon) · gamma + beta for every row of s = x + residual, with the variance
// divided by `columns`. Strides count floats from row to row; the columns of a row are adjacent.
struct NormTask {
  const float* x;
  const float* residual;  // nullptr: none
  float* y;               // may be x or residual, with the same stride
  const float* gamma;     // [columns]
  const float* beta;      // [columns]
  std::int64_t rows, columns;
  std::int64_t x_stride, residual_stride, y_stride;
  float epsilon;
};

}  // namespace headwise::kernels
