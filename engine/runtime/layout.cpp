// Where a plan's data lies.
#include <algorithm>

#include "plan.hpp"

namespace headwise::runtime {

namespace {

// Hands out pieces of whole cache lines.
struct Measure {
  std::int64_t floats = 0;
  std::int64_t take(std::int64_t count) {
    const std::int64_t at = floats;
    floats += (count + 15) / 16 * 16;
    return at;
  }
};

// The product's own row distance; its heads lie side by side in a row.
HeadSource projected_heads(const projection::Linear& linear, std::int64_t offset, std::int64_t rows,
                           std::int64_t size) {
  const std::int64_t stride = linear.shape().row_stride;
  return {nullptr, offset, rows * stride, size, stride};
}

void lay_out_fused(Plan& plan, Measure& slab) {
  const Sizes& s = plan.request.sizes;
  const auto& linear = *plan.model->product(Product::qkv);
  const std::int64_t start = slab.take(plan.group * s.queries * linear.shape().row_stride);
  plan.query = projected_heads(linear, start, s.queries, s.head_dim);
  plan.key = projected_heads(linear, start + s.heads * s.head_dim, s.keys, s.head_dim);
  plan.value = projected_heads(linear, start + (s.heads + s.kv_heads) * s.head_dim, s.keys, s.value_dim);
}

HeadSource lay_out_product(Plan& plan, Measure& slab, Product product, std::int64_t rows, std::int64_t size) {
  const auto& linear = *plan.model->product(product);
  return projected_heads(linear, slab.take(plan.group * rows * linear.shape().row_stride), rows, size);
}

void lay_out_projected(Plan& plan, Measure& slab) {
  const Sizes& s = plan.request.sizes;
  if (plan.request.fused) {
    lay_out_fused(plan, slab);
  } else {
    plan.query = lay_out_product(plan, slab, Product::query, s.queries, s.head_dim);
    plan.key = lay_out_product(plan, slab, Product::key, s.keys, s.head_dim);
    plan.value = lay_out_product(plan, slab, Product::value, s.keys, s.value_dim);
  }
  const std::int64_t width = s.heads * s.value_dim;
  plan.context = {nullptr, slab.take(plan.group * s.queries * width), s.queries * width, s.value_dim, width};
}

// The caller's own memory when the elements of a row are adjacent, otherwise a copy [B, H, L, size] in the slab.
HeadSource user_heads(Plan& plan, Measure& slab, const TensorView& view) {
  const Dims& shape = view.shape;
  if (has_adjacent_elements(view)) {
    float* data = static_cast<float*>(const_cast<void*>(view.data));
    return {data, 0, view.strides[0], view.strides[1], view.strides[2]};
  }
  const std::int64_t head = shape[2] * shape[3];
  return {nullptr, slab.take(plan.group * shape[1] * head), shape[1] * head, head, shape[3]};
}

void lay_out_heads(Plan& plan, Measure& slab) {
  plan.query = user_heads(plan, slab, plan.request.query);
  plan.key = user_heads(plan, slab, plan.request.key);
  plan.value = user_heads(plan, slab, plan.request.value);
  plan.context = user_heads(plan, slab, plan.request.output);
}

std::int64_t floats_for(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + 3) / 4);
}

void lay_out_rows(Plan& plan, Measure& worker) {
  const AttentionConfig& config = plan.model->config;
  const Request& r = plan.request;
  std::int64_t width = 0;
  if (!has_dense_rows(r.query)) width = config.model_dim;
  if (!has_dense_rows(r.key)) width = std::max(width, config.key_input_dim);
  if (!has_dense_rows(r.value)) width = std::max(width, config.value_input_dim);
  const std::int64_t rows = max_chunk_rows(plan.group * std::max(r.sizes.queries, r.sizes.keys));
  plan.worker.rows_in = worker.take(rows * width);
  plan.worker.rows_out = worker.take(has_dense_rows(r.output) ? 0 : rows * config.output_dim);
  std::size_t scratch = 0;
  for (const auto& linear : plan.model->products) {
    if (linear) scratch = std::max(scratch, linear->scratch_bytes());
  }
  plan.worker.linear = worker.take(floats_for(scratch));
}

void lay_out_worker(Plan& plan, Measure& worker) {
  const Request& r = plan.request;
  const std::int64_t block = plan.model->kernels->query_block * r.sizes.keys;
  plan.worker.kernel = worker.take(floats_for(plan.model->kernels->scratch_bytes(plan.head_shape())));
  const bool own_weights = r.average_attention.given || (r.attention.given && r.attention.strides[3] != 1);
  plan.worker.weights = worker.take(own_weights ? block : 0);
  plan.worker.average = worker.take(r.average_attention.given ? block : 0);
  if (plan.model->projected) lay_out_rows(plan, worker);
  plan.worker.floats = worker.floats;
}

}  // namespace

void lay_out(Plan& plan) {
  Measure slab;
  Measure worker;
  plan.model->projected ? lay_out_projected(plan, slab) : lay_out_heads(plan, slab);
  plan.slab_floats = slab.floats;
  lay_out_worker(plan, worker);
}

}  // namespace headwise::runtime
