// Steps that treat every row alike take a few rows at a time.
#pragma once

#include <algorithm>

#include "encoder_plan.hpp"
#include "rows.hpp"

namespace headwise::encoder {

// Enough for a unit of a normalisation to take a microsecond or two, which taking it must not show in.
constexpr std::int64_t unit_rows = 16;

// Calls use(first, count) for the rows of all sequences that the worker takes.
template <class Use>
void for_each_unit(const runtime::Plan& plan, const runtime::Slab& slab, runtime::Worker& worker, const Use& use) {
  const runtime::RowRange rows = runtime::slab_rows(plan, slab, true);
  const std::int64_t units = (rows.end - rows.begin + unit_rows - 1) / unit_rows;
  for (std::int64_t unit = 0; worker.take(units, unit);) {
    const std::int64_t first = rows.begin + unit * unit_rows;
    use(first, std::min(unit_rows, rows.end - first));
  }
}

}  // namespace headwise::encoder
