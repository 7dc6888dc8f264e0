// The rows of a slab that go through a product, cut into units of work.
#pragma once

#include <algorithm>

#include "rows.hpp"

namespace headwise::runtime {

// Rows of all sequences, and columns of the product.
struct Chunk {
  std::int64_t first, count;
  projection::ColumnPart part;
};

// max_parts: groups of columns that may be run apart, 1 where rows are copied whole.
struct ProductJob {
  RowRange rows;
  ProductCut cut;

  ProductJob(const Plan& plan, const RowRange& range, std::int64_t max_parts) noexcept
      : rows(range), cut(cut_product(plan, range.end - range.begin, max_parts)) {}

  bool take(Worker& worker, Chunk& chunk) const noexcept {
    const std::int64_t count = rows.end - rows.begin;
    std::int64_t unit = 0;
    if (cut.rows == 0 || !worker.take((count + cut.rows - 1) / cut.rows * cut.parts, unit)) return false;
    const std::int64_t first = unit / cut.parts * cut.rows;
    chunk = {rows.begin + first, std::min(cut.rows, count - first), {unit % cut.parts, cut.parts}};
    return true;
  }
};

}  // namespace headwise::runtime
