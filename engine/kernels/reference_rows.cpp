// The reference kernels for whole rows: layer normalisation and activations, in double.
#include <cmath>

#include "tables.hpp"

namespace headwise::kernels {

namespace {

// One row of a NormTask.
struct NormRow {
  const NormTask& task;
  std::int64_t row;

  double sum_at(std::int64_t c) const noexcept {
    const double x = double(task.x[row * task.x_stride + c]);
    return task.residual == nullptr ? x : x + double(task.residual[row * task.residual_stride + c]);
  }
  double mean() const noexcept {
    double sum = 0;
    for (std::int64_t c = 0; c < task.columns; ++c) sum += sum_at(c);
    return sum / double(task.columns);
  }
  double variance(double mean) const noexcept {
    double squares = 0;
    for (std::int64_t c = 0; c < task.columns; ++c) squares += (sum_at(c) - mean) * (sum_at(c) - mean);
    return squares / double(task.columns);
  }
};

constexpr double sqrt_half = 0.70710678118654752440;
constexpr double sqrt_two_over_pi = 0.79788456080286535588;

// x·y where y → 0 as x → −∞, which it does faster than x grows.
double product_with_tail(double x, double y) noexcept {
  return y == 0 ? std::copysign(0.0, x) : x * y;
}

double activated(double x, Activation activation) noexcept {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::gelu:
      return product_with_tail(x, 0.5 * std::erfc(-x * sqrt_half));
    case Activation::gelu_tanh: {
      // (1 + tanh u)/2 as a logistic function, which keeps its digits for small results.
      const double u = sqrt_two_over_pi * (x + 0.044715 * x * x * x);
      return product_with_tail(x, 1 / (1 + std::exp(-2 * u)));
    }
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::silu:
      return product_with_tail(x, 1 / (1 + std::exp(-x)));
  }
  return x;
}

}  // namespace

void reference_layer_norm(const NormTask& task) noexcept {
  for (std::int64_t r = 0; r < task.rows; ++r) {
    const NormRow row{task, r};
    const double mean = row.mean();
    const double factor = 1 / std::sqrt(row.variance(mean) + double(task.epsilon));
    for (std::int64_t c = 0; c < task.columns; ++c) {
      const double normal = (row.sum_at(c) - mean) * factor;
      task.y[r * task.y_stride + c] = float(normal * double(task.gamma[c]) + double(task.beta[c]));
    }
  }
}

void reference_activate(const ActivateTask& task) noexcept {
  for (std::int64_t r = 0; r < task.rows; ++r) {
    for (std::int64_t c = 0; c < task.columns; ++c) {
      float& x = task.x[r * task.stride + c];
      x = float(activated(double(x), task.activation));
    }
  }
}

}  // namespace headwise::kernels
