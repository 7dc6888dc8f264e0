#include "panels.hpp"

#include <algorithm>
#include <cstring>

#include "slices.hpp"

namespace headwise::projection {

namespace {

// Rows of W become columns of a panel. A square of 16 keeps the lines that it reads and writes in L1.
struct PanelColumns {
  const float* from;  // [columns, in]
  float* to;          // [in][panel]
  std::int64_t columns, in, panel;

  void transpose_square(std::int64_t column, std::int64_t feature) const noexcept {
    const std::int64_t last_column = std::min(column + 16, columns);
    const std::int64_t last_feature = std::min(feature + 16, in);
    for (std::int64_t i = feature; i < last_feature; ++i) {
      for (std::int64_t c = column; c < last_column; ++c) to[i * panel + c] = from[c * in + i];
    }
  }
  void transpose() const noexcept {
    for (std::int64_t feature = 0; feature < in; feature += 16) {
      for (std::int64_t column = 0; column < columns; column += 16) transpose_square(column, feature);
    }
  }
};

}  // namespace

Panels::Panels(std::span<const LinearPart> parts, std::int64_t in, const kernels::KernelTable& table)
    : table_(&table), in_(in) {
  bool any_bias = false;
  for (const LinearPart& part : parts) {
    out_ += part.out;
    any_bias = any_bias || part.bias != nullptr;
  }
  const std::int64_t panels = (out_ + table.panel - 1) / table.panel;
  weights_ = std::make_shared<Tensor>(Dims{panels, in, table.panel});
  if (any_bias) bias_ = std::make_shared<Tensor>(Dims{panels * table.panel});
  std::int64_t first = 0;
  for (const LinearPart& part : parts) {
    pack(part, first);
    first += part.out;
  }
}

void Panels::pack(const LinearPart& part, std::int64_t first) {
  const std::int64_t panel = table_->panel;
  for (std::int64_t done = 0; done < part.out;) {
    const std::int64_t column = (first + done) % panel;
    const std::int64_t count = std::min(panel - column, part.out - done);
    float* to = weights_->data() + (first + done - column) * in_ + column;
    PanelColumns{part.weight + done * in_, to, count, in_, panel}.transpose();
    done += count;
  }
  if (part.bias != nullptr) std::copy_n(part.bias, part.out, bias_->data() + first);
}

Panels Panels::from(std::int64_t column, std::int64_t out) const {
  Panels result = *this;
  result.first_ = first_ + column;
  result.out_ = out;
  return result;
}

void Panels::multiply(const float* x, std::int64_t rows, float* y, std::int64_t row_stride) const noexcept {
  const auto* weights = static_cast<const float*>(weights_->view().data) + first_ * in_;
  const auto* bias = bias_ ? static_cast<const float*>(bias_->view().data) + first_ : nullptr;
  table_->multiply({x, y, rows, in_, row_stride, weights, bias, in_, out_, make_slices(in_).width});
}

}  // namespace headwise::projection
