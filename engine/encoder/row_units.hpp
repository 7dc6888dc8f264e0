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

// y = norm(x + residual); residual may be null, y may be either.
struct NormRows {
  const float* x;
  const float* residual;
  float* y;
};

inline void norm_rows(const LayerPlan& plan, const Norm& norm, const NormRows& rows, std::int64_t count) noexcept {
  const Encoder::Model& model = *plan.call->model;
  const std::int64_t width = plan.width();
  model.kernels->layer_norm({rows.x, rows.residual, rows.y, norm.gamma.data(), norm.beta.data(), count, width, width,
                             width, width, static_cast<float>(model.config.layer_norm_epsilon)});
}

}  // namespace headwise::encoder
