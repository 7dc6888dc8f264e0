// A weight matrix packed for the product of headwise's own kernels, see kernels::ProductTask.
#pragma once

#include <memory>
#include <span>

#include "attend.hpp"
#include "headwise/tensor.hpp"
#include "linear.hpp"

namespace headwise::projection {

// Immutable; copies share the packed memory.
class Panels {
 public:
  Panels(std::span<const LinearPart> parts, std::int64_t in, const kernels::KernelTable& table,
         const Allocator& allocator);

  // Output columns can be multiplied alone when the first of them starts a panel.
  bool can_start_at(std::int64_t column) const noexcept { return column % table_->panel == 0; }
  Panels from(std::int64_t column, std::int64_t out) const;

  std::int64_t count() const noexcept { return (out_ + table_->panel - 1) / table_->panel; }
  // x: [rows, in] dense; y: [rows, row_stride]. Only the panels of a part of `parts`, which are at most count().
  void multiply(const RowBlock& rows, const LinearShape& shape, const ColumnPart& part) const noexcept;

 private:
  void pack(std::span<const LinearPart> parts);
  void join_biases(std::span<const LinearPart> parts, std::int64_t columns);

  const kernels::KernelTable* table_;
  std::shared_ptr<Tensor> weights_;  // [panels][in][panel]
  std::shared_ptr<Tensor> bias_;     // [panels · panel], or null
  std::int64_t in_, out_ = 0, first_ = 0;
};

}  // namespace headwise::projection
