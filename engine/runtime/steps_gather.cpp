// Copies for callers whose head rows are not adjacent in memory. A unit is one head of one sequence.
#include "views.hpp"
#include "worker.hpp"

namespace headwise::runtime {

namespace {

// One head of [B, H, L, size].
template <class View>
View head_view(const View& view, std::int64_t batch, std::int64_t head) {
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
  const std::int64_t at = batch * view.strides[0] + head * view.strides[1];
  return View(static_cast<Byte*>(view.data) + at * std::int64_t{sizeof(float)}, DType::f32,
              Dims{view.shape[2], view.shape[3]}, Dims{view.strides[2], view.strides[3]});
}

void gather(const TensorView& from, const HeadSource& to, const Slab& slab, Worker& worker) noexcept {
  const std::int64_t heads = from.shape[1];
  for (std::int64_t unit = 0; worker.take(slab.count * heads, unit);) {
    const std::int64_t batch = unit / heads;
    const std::int64_t head = unit - batch * heads;
    copy_to_contiguous(head_view(from, slab.first + batch, head),
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
                         head_view(to, slab.first + batch, head));
  }
}

}  // namespace headwise::runtime
