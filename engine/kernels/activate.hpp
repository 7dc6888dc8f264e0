// What goes into the kernel for the functions between the two products of a feed-forward layer.
#pragma once

#include <cstdint>

namespace headwise::kernels {

enum class Activation : std::uint8_t {
  none,
  gelu,       // x·Φ(x) = x/2 · (1 + erf(x/√2)) (Hendrycks and Gimpel 2016)
  gelu_tanh,  // x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))), their approximation of it
  relu,       // max(x, 0)
  silu,       // x / (1 + e^−x)
};

struct ActivateTask {
  float* x;  // rows × columns, changed in place
  std::int64_t rows, columns;
  std::int64_t stride;  // floats from row to row, ≥ columns; what lies past the columns is left alone
  Activation activation;
};

}  // namespace headwise::kernels
