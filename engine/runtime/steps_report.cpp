// Results beside the output: scores, contexts and contributions of heads; and zeros where there is no query.
#include <limits>

#include "weight_outputs.hpp"

namespace headwise::runtime {

namespace {

using kernels::AttendTask;

// Calls use(block) for every block of every head. A unit is one block; sequences count as long as the longest.
template <class Use>
void for_each_block(const Plan& plan, const Slab& slab, Worker& worker, const Use& use) noexcept {
  const Sizes& s = plan.request.sizes;
  const std::int64_t blocks = (s.queries + plan.query_block() - 1) / plan.query_block();
  for (std::int64_t unit = 0; worker.take(slab.count * s.heads * blocks, unit);) {
    const Block block = block_at(plan, slab.first + unit / blocks / s.heads, unit / blocks % s.heads, unit % blocks);
    if (block.count > 0) use(block);
  }
}

kernels::ScoreStage kernel_stage(ScoreStage stage) noexcept {
  return stage == ScoreStage::scaled   ? kernels::ScoreStage::scaled
         : stage == ScoreStage::capped ? kernels::ScoreStage::capped
                                       : kernels::ScoreStage::masked;
}

// A head's slice of the output weight times its context: a score without a mask.
AttendTask contribution_task(const Plan& plan, const Slab& slab, const Worker& worker, const Block& block) noexcept {
  const Sizes& s = plan.request.sizes;
  AttendTask task{};
  task.query = const_rows(plan, slab, plan.context, block);
  const float* rows = plan.model->output_rows.data() + block.head * s.value_dim;
  task.key = {rows, s.heads * s.value_dim, kernels::Element::f32, nullptr, INT64_MAX};
  task.value = task.key;
  task.shape = {plan.model->config.output_dim, s.value_dim, s.value_dim, false};
  task.num_queries = block.count;
  task.score.scale = 1;
  task.mask.key_end = task.shape.num_keys;
  task.mask.first_offset = -kernels::MaskForm::open;
  task.mask.last_offset = kernels::MaskForm::open;
  task.element = kernels::Element::f32;
  task.scratch = worker.memory + plan.worker.kernel;
  task.weights = {worker.memory + plan.worker.weights, task.shape.num_keys};
  return task;
}

// Row i of the block in a [B, H, Lq, n] output.
RowOf output_row(const MutableTensorView& to, const Block& block, std::int64_t i) noexcept {
  const Dims& s = to.strides;
  return {block.batch * s[0] + block.head * s[1] + (block.first + i) * s[2], s[3], to.shape[3]};
}

}  // namespace

void write_scores(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const AttentionOutputs& o = plan.request.outputs;
  for_each_block(plan, slab, worker, [&](const Block& block) {
    if (!is_chosen(plan, block)) return;
    AttendTask task = make_task(plan, slab, worker, block);
    task.weights = {worker.memory + plan.worker.weights, plan.request.columns()};
    plan.model->kernels->score(task, kernel_stage(o.score_stage));
    // Keys that a shorter sequence does not have are dead for the mask and nothing before it.
    const bool masked = o.score_stage == ScoreStage::masked;
    spread_rows(plan, block, task.weights, masked ? -std::numeric_limits<double>::infinity() : 0);
    store_chosen(plan, block, task.weights, o.scores);
  });
}

void write_head_context(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const MutableTensorView& to = plan.request.outputs.head_context;
  for_each_block(plan, slab, worker, [&](Block block) {
    const Block all = block;
    for (std::int64_t i = 0; i < all.count; ++i) {
      block.first = all.first + i;
      store_row(head_row(plan, slab, plan.context, block), plan.context.element, to, output_row(to, all, i));
    }
  });
}

void write_head_contribution(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const MutableTensorView& to = plan.request.outputs.head_contribution;
  for_each_block(plan, slab, worker, [&](const Block& block) {
    const AttendTask task = contribution_task(plan, slab, worker, block);
    plan.model->kernels->score(task, kernels::ScoreStage::scaled);
    for (std::int64_t i = 0; i < block.count; ++i) {
      store_row(task.weights.data + i * task.weights.stride, kernels::Element::f32, to, output_row(to, block, i));
    }
  });
}

}  // namespace headwise::runtime
