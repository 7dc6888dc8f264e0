// One unit of the attention steps: its blocks one after the other, each handed on to every output that wants it.
#pragma once

#include <algorithm>

#include "weight_outputs.hpp"

namespace headwise::runtime {

// A head whose gate is 0 and of which nothing else is asked does no work.
inline bool is_idle(const Plan& plan, const Block& block) noexcept {
  return plan.request.gate(block.batch, block.head) == 0 && !plan.request.outputs.log_sum_exp.given &&
         !wants_weights(plan, block);
}

// A gate of 0 gives zeros whatever the head computes, NaN included.
inline void clear_context(const Plan& plan, const kernels::AttendTask& task) noexcept {
  if (task.gate != 0) return;
  const auto bytes = static_cast<std::size_t>(plan.request.sizes.value_dim * element_bytes(task.element));
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    char* row = reinterpret_cast<char*>(task.output.data) + i * task.output.stride * element_bytes(task.element);
    std::fill_n(row, bytes, char{0});
  }
}

inline kernels::AttendTask block_task(const Plan& plan, const Slab& slab, const Worker& worker,
                                      const Block& block) noexcept {
  kernels::AttendTask task = make_task(plan, slab, worker, block);
  if (wants_weights(plan, block)) task.weights = weight_rows(plan, worker, block);
  if (plan.request.outputs.log_sum_exp.given) task.log_sum_exp = piece<double>(worker, plan.worker.log_sum_exp);
  task.times = worker.stopwatch();
  return task;
}

inline void store_log_sum_exp(const Plan& plan, const Block& block, const double* values) noexcept {
  const MutableTensorView& to = plan.request.outputs.log_sum_exp;
  if (!to.given) return;
  const Dims& s = to.strides;
  store_row(values, kernels::Element::f64, to,
            {block.batch * s[0] + block.head * s[1] + block.first * s[2], s[2], block.count});
}

// Runs one block by `core` and hands its results on.
template <class Core>
void run_block(const Plan& plan, const Slab& slab, Worker& worker, const AttendUnit& unit, const Block& block,
               const Core& core) noexcept {
  const kernels::AttendTask task = block_task(plan, slab, worker, block);
  if (!is_idle(plan, block)) core(task, block);
  clear_context(plan, task);
  if (is_idle(plan, block)) return;
  store_log_sum_exp(plan, block, task.log_sum_exp);
  lap(task.times, kernels::AttendPart::edges);
  if (task.weights.data == nullptr) return;
  store_weights(plan, worker, block, task.weights);
  add_to_sums(plan, worker, unit, block, task.weights);
  lap(task.times, kernels::AttendPart::weights);
}

template <class Core>
void run_unit(const Plan& plan, const Slab& slab, Worker& worker, const AttendUnit& unit, const Core& core) noexcept {
  clear_sums(plan, worker, unit);
  for (std::int64_t b = unit.block; b < unit.block + unit.blocks; ++b) {
    const Block first = block_at(plan, unit.batch, unit.head, b);
    start_average(plan, worker, first);
    for (std::int64_t h = 0; h < unit.heads; ++h) {
      if (worker.is_stopped()) return;
      run_block(plan, slab, worker, unit, block_at(plan, unit.batch, unit.head + h, b), core);
    }
    store_average(plan, worker, first);
  }
  store_column_sums(plan, worker, unit);
}

}  // namespace headwise::runtime
