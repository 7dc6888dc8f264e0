// Copies for callers whose head rows are not adjacent in memory. A unit is one head of one sequence.
#include "inner_view.hpp"
#include "views.hpp"
#include "worker.hpp"

namespace headwise::runtime {

namespace {

void gather(const TensorView& from, const HeadSource& to, const Slab& slab, Worker& worker) noexcept {
  const std::int64_t heads = from.shape[1];
  for (std::int64_t unit = 0; worker.take(slab.count * heads, unit);) {
    const std::int64_t batch = unit / heads;
    const std::int64_t head = unit - batch * heads;
    copy_to_contiguous(inner_view(from, slab.first + batch, head),
                       slab.memory + to.offset + batch * to.batch_stride + head * to.head_stride);
  }
}

}  // namespace

void gather_query(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan.request.query, plan.query, slab, worker);
}
void gather_key(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan.request.key, plan.key, slab, worker);
}
void gather_value(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan.request.value, plan.value, slab, worker);
}

void scatter_output(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const MutableTensorView& to = plan.request.output;
  const HeadSource& from = plan.context;
  const std::int64_t heads = to.shape[1];
  for (std::int64_t unit = 0; worker.take(slab.count * heads, unit);) {
    const std::int64_t batch = unit / heads;
    const std::int64_t head = unit - batch * heads;
    copy_from_contiguous(slab.memory + from.offset + batch * from.batch_stride + head * from.head_stride,
                         inner_view(to, slab.first + batch, head));
  }
}

}  // namespace headwise::runtime
