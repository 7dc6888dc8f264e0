// The attention core. A unit is a block of queries of one head; when the mean over heads is wanted, a block of queries
// of all heads, so that the mean is summed by one thread in head order and never needs all heads' weights at once.
#include <algorithm>

#include "worker.hpp"

namespace headwise::runtime {

namespace {

struct Block {
  std::int64_t batch = 0, head = 0;  // batch counts within the slab
  std::int64_t first = 0, count = 0;
};

float* head_rows(const HeadSource& source, const Slab& slab, std::int64_t batch, std::int64_t head) {
  float* start = source.user != nullptr ? source.user + slab.first * source.batch_stride : slab.memory + source.offset;
  return start + batch * source.batch_stride + head * source.head_stride;
}

// The caller's rows of attention weights for a block, null where they are not wanted.
kernels::Rows attention_rows(const Plan& plan, const Slab& slab, const Block& block) {
  const MutableTensorView& view = plan.request.attention;
  if (!view.given) return {nullptr, 0};
  const Dims& s = view.strides;
  const std::int64_t at = (slab.first + block.batch) * s[0] + block.head * s[1] + block.first * s[2];
  return {static_cast<float*>(view.data) + at, s[2]};
}

// Where the kernel writes weights: the caller's rows when their elements are adjacent and nobody else needs them.
kernels::Rows kernel_weights(const Plan& plan, const Slab& slab, const Worker& worker, const Block& block) {
  const Request& r = plan.request;
  const bool direct = r.attention.given && r.attention.strides[3] == 1;
  if (direct) return attention_rows(plan, slab, block);
  if (!r.attention.given && !r.average_attention.given) return {nullptr, 0};
  return {worker.memory + plan.worker.weights, r.sizes.keys};
}

void copy_weights(const Plan& plan, const Slab& slab, const Block& block, const kernels::Rows& from) {
  const kernels::Rows to = attention_rows(plan, slab, block);
  if (to.data == nullptr || to.data == from.data) return;
  const std::int64_t step = plan.request.attention.strides[3];
  for (std::int64_t i = 0; i < block.count; ++i) {
    for (std::int64_t j = 0; j < plan.request.sizes.keys; ++j) {
      to.data[i * to.stride + j * step] = from.data[i * from.stride + j];
    }
  }
}

kernels::EmptyRow empty_row(RowsWithoutKeys policy) {
  return policy == RowsWithoutKeys::mean  ? kernels::EmptyRow::mean
         : policy == RowsWithoutKeys::nan ? kernels::EmptyRow::nan
                                          : kernels::EmptyRow::zero;
}

kernels::Rows attend_block(const Plan& plan, const Slab& slab, Worker& worker, const Block& block) {
  const Sizes& s = plan.request.sizes;
  const std::int64_t shared = block.head / (s.heads / s.kv_heads);  // the key/value head of this query head
  const float* query = head_rows(plan.query, slab, block.batch, block.head) + block.first * plan.query.row_stride;
  float* context = head_rows(plan.context, slab, block.batch, block.head) + block.first * plan.context.row_stride;
  kernels::AttendTask task;
  task.query = {query, plan.query.row_stride};
  task.key = {head_rows(plan.key, slab, block.batch, shared), plan.key.row_stride};
  task.value = {head_rows(plan.value, slab, block.batch, shared), plan.value.row_stride};
  task.output = {context, plan.context.row_stride};
  task.weights = kernel_weights(plan, slab, worker, block);
  task.shape = plan.head_shape();
  task.first_query = block.first;
  task.num_queries = block.count;
  task.scale = *plan.model->config.scale;
  task.empty_row = empty_row(plan.model->config.rows_without_keys);
  task.mask = mask_form(plan.request, slab.first + block.batch, block.head);
  task.scratch = worker.memory + plan.worker.kernel;
  plan.model->kernels->attend(task);
  copy_weights(plan, slab, block, task.weights);
  return task.weights;
}

void add_to_average(const Plan& plan, const kernels::Rows& weights, const Block& block, float* average) {
  const std::int64_t keys = plan.request.sizes.keys;
  for (std::int64_t i = 0; i < block.count; ++i) {
    const float* row = weights.data + i * weights.stride;
    for (std::int64_t j = 0; j < keys; ++j) average[i * keys + j] += row[j];
  }
}

void store_average(const Plan& plan, const Slab& slab, const Block& block, const float* average) {
  const MutableTensorView& to = plan.request.average_attention;
  const Dims& s = to.strides;
  const std::int64_t keys = plan.request.sizes.keys;
  const float heads = float(plan.request.sizes.heads);
  float* out = static_cast<float*>(to.data) + (slab.first + block.batch) * s[0] + block.first * s[1];
  for (std::int64_t i = 0; i < block.count; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) out[i * s[1] + j * s[2]] = average[i * keys + j] / heads;
  }
}

void attend_all_heads(const Plan& plan, const Slab& slab, Worker& worker, Block block) {
  float* average = worker.memory + plan.worker.average;
  std::fill_n(average, block.count * plan.request.sizes.keys, 0.0F);
  for (block.head = 0; block.head < plan.request.sizes.heads; ++block.head) {
    add_to_average(plan, attend_block(plan, slab, worker, block), block, average);
  }
  store_average(plan, slab, block, average);
}

}  // namespace

void attend(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const Sizes& s = plan.request.sizes;
  const std::int64_t height = plan.model->kernels->query_block;
  const std::int64_t blocks = (s.queries + height - 1) / height;
  const bool average = plan.request.average_attention.given;
  const std::int64_t heads = average ? 1 : s.heads;
  for (std::int64_t unit = 0; worker.take(slab.count * heads * blocks, unit);) {
    Block block;
    // The last block comes first: under a causal mask it is the longest, and the short ones fill the gaps at the end.
    block.first = (blocks - 1 - unit % blocks) * height;
    block.count = std::min(height, s.queries - block.first);
    block.head = unit / blocks % heads;
    block.batch = unit / blocks / heads;
    average ? attend_all_heads(plan, slab, worker, block) : (void)attend_block(plan, slab, worker, block);
  }
}

}  // namespace headwise::runtime
