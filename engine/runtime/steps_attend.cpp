// The attention core over blocks of queries.
#include "attend_unit.hpp"

namespace headwise::runtime {

void attend(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const auto& sums = plan.tables().attend_units;
  const std::int64_t units =
      sums[static_cast<std::size_t>(slab.first + slab.count)] - sums[static_cast<std::size_t>(slab.first)];
  for (std::int64_t unit = 0; worker.take(units, unit);) {
    run_unit(plan, slab, worker, attend_unit(plan, slab, unit),
             [&](const kernels::AttendTask& task, const Block&) { plan.model->kernels->attend(task); });
  }
}

}  // namespace headwise::runtime
