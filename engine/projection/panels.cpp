#include "panels.hpp"

#include <algorithm>
#include <vector>

#include "slices.hpp"

namespace headwise::projection {

namespace {

// Rows of W over all parts.
struct RowList {
  std::span<const LinearPart> parts;
  std::int64_t in;
  // Past the last row, the last row.
  const float* at(std::int64_t row) const noexcept {
    std::size_t p = 0;
    for (; p + 1 < parts.size() && row >= parts[p].out; ++p) row -= parts[p].out;
    return parts[p].weight + std::min(row, parts[p].out - 1) * in;
  }
};

bool any_bias(std::span<const LinearPart> parts) noexcept {
  return std::any_of(parts.begin(), parts.end(), [](const LinearPart& part) { return part.bias != nullptr; });
}

}  // namespace

Panels::Panels(std::span<const LinearPart> parts, std::int64_t in, const kernels::KernelTable& table,
               const Allocator& allocator)
    : table_(&table), in_(in) {
  for (const LinearPart& part : parts) out_ += part.out;
  const std::int64_t panels = (out_ + table.panel - 1) / table.panel;
  weights_ = std::make_shared<Tensor>(DType::f32, Dims{panels, in, table.panel}, allocator);
  pack(parts);
  if (any_bias(parts)) join_biases(parts, panels * table.panel);
}

void Panels::pack(std::span<const LinearPart> parts) {
  const RowList rows{parts, in_};
  std::vector<const float*> row(static_cast<std::size_t>(table_->panel));
  for (std::int64_t first = 0; first < out_; first += table_->panel) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = rows.at(first + static_cast<std::int64_t>(i));
    table_->pack(row.data(), in_, weights_->data() + first * in_);
  }
}

void Panels::join_biases(std::span<const LinearPart> parts, std::int64_t columns) {
  bias_ = std::make_shared<Tensor>(Dims{columns});
  float* to = bias_->data();
  for (const LinearPart& part : parts) {
    if (part.bias != nullptr) std::copy_n(part.bias, part.out, to);
    to += part.out;
  }
}

Panels Panels::from(std::int64_t column, std::int64_t out) const {
  Panels result = *this;
  result.first_ = first_ + column;
  result.out_ = out;
  return result;
}

void Panels::multiply(const RowBlock& rows, const LinearShape& shape, const ColumnPart& part) const noexcept {
  const auto start_of = [&](std::int64_t p) { return std::min(out_, count() * p / part.parts * table_->panel); };
  const std::int64_t first = start_of(part.index);
  const auto* weights = static_cast<const float*>(weights_->view().data) + (first_ + first) * in_;
  const auto* bias = bias_ ? static_cast<const float*>(bias_->view().data) + first_ + first : nullptr;
  table_->multiply({rows.x, rows.y + first, rows.count, in_, shape.row_stride, weights, bias, in_,
                    start_of(part.index + 1) - first, make_slices(in_).width, shape.activation});
}

}  // namespace headwise::projection
