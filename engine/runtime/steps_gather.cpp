// Copies for callers whose head rows the kernels can't use in place. A unit is one head of one sequence.
#include "rows.hpp"

namespace headwise::runtime {

namespace {

// Where a sequence's rows of one head start in the caller's [B, H, L, size].
std::int64_t user_offset(const Plan& plan, const TensorView& view, const Block& at, bool queries) noexcept {
  const Sequence& q = plan.request.sequence(at.batch);
  const std::int64_t head = at.head * view.strides[1];
  if (!plan.request.ragged) return at.batch * view.strides[0] + head;
  return head + (queries ? q.query_row : q.key_row) * view.strides[2];
}

// Calls use(block) with all rows of each head.
template <class Use>
void for_each_head(const Plan& plan, const Slab& slab, Worker& worker, const HeadSource& source, std::int64_t heads,
                   const Use& use) noexcept {
  for (std::int64_t unit = 0; worker.take(slab.count * heads, unit);) {
    const std::int64_t batch = slab.first + unit / heads;
    const Sequence& q = plan.request.sequence(batch);
    use(Block{batch, unit % heads, 0, source.of_queries ? q.queries : q.new_keys});
  }
}

void gather(const Plan& plan, const Slab& slab, Worker& worker, const TensorView& from, const HeadSource& to) noexcept {
  const std::int64_t size = from.shape[3];
  for_each_head(plan, slab, worker, to, from.shape[1], [&](Block at) {
    const std::int64_t start = user_offset(plan, from, at, to.of_queries);
    const std::int64_t rows = at.count;
    for (at.first = 0; at.first < rows; ++at.first) {
      load_row(from, {start + at.first * from.strides[2], from.strides[3], size}, to.element,
               head_row(plan, slab, to, at));
    }
  });
}

}  // namespace

void gather_query(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan, slab, worker, plan.request.query, plan.query);
}
void gather_key(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan, slab, worker, plan.request.key, plan.key);
}
void gather_value(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  gather(plan, slab, worker, plan.request.value, plan.value);
}

void scatter_output(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const MutableTensorView& to = plan.request.outputs.output;
  for_each_head(plan, slab, worker, plan.context, to.shape[1], [&](Block at) {
    const std::int64_t start = user_offset(plan, to, at, true);
    const std::int64_t rows = at.count;
    for (at.first = 0; at.first < rows; ++at.first) {
      store_row(head_row(plan, slab, plan.context, at), plan.context.element, to,
                {start + at.first * to.strides[2], to.strides[3], to.shape[3]});
    }
  });
}

}  // namespace headwise::runtime
