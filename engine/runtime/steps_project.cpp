// The products before and after attention. A unit is a chunk of rows and a part of the columns.
#include "product_job.hpp"

namespace headwise::runtime {

namespace {

// Rows that are not dense are copied whole, so their columns stay together.
ProductJob make_job(const Plan& plan, const RowRange& range, Product product, bool dense) noexcept {
  return {plan, range, dense ? plan.model->product(product)->max_parts() : 1};
}

// One row of [B, L, width], counted over all sequences.
RowOf row_of(const TensorView& view, std::int64_t row) noexcept {
  const std::int64_t length = view.shape[1];
  return {row / length * view.strides[0] + row % length * view.strides[1], view.strides[2], view.shape[2]};
}

// The chunk's rows as dense memory: the caller's own where it is dense already.
const float* input_rows(const TensorView& input, const Chunk& chunk, float* buffer) noexcept {
  const std::int64_t width = input.shape[2];
  if (has_dense_rows(input)) return static_cast<const float*>(input.data) + chunk.first * width;
  for (std::int64_t i = 0; i < chunk.count; ++i) {
    load_row(input, row_of(input, chunk.first + i), kernels::Element::f32, buffer + i * width);
  }
  return buffer;
}

void project(const Plan& plan, const Slab& slab, Worker& worker, Product product, const HeadSource& to) noexcept {
  const Request& r = plan.request;
  const TensorView& input = product == Product::key ? r.key : product == Product::value ? r.value : r.query;
  const ProductJob job = make_job(plan, slab_rows(plan, slab, to.of_queries), product, has_dense_rows(input));
  float* out = slab.memory + to.offset;
  for (Chunk chunk; job.take(worker, chunk);) {
    const float* x = input_rows(input, chunk, worker.memory + plan.worker.rows_in);
    float* y = out + (chunk.first - job.rows.begin) * to.row_stride;
    float* scratch = worker.memory + plan.worker.linear;
    if (!worker.multiply(plan.index_of(product), {x, chunk.count, y}, chunk.part, scratch)) return;
  }
}

}  // namespace

void project_qkv(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  project(plan, slab, worker, Product::qkv, plan.query);
}
void project_query(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  project(plan, slab, worker, Product::query, plan.query);
}
void project_key(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  project(plan, slab, worker, Product::key, plan.key);
}
void project_value(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  project(plan, slab, worker, Product::value, plan.value);
}

void project_output(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const MutableTensorView& output = plan.request.outputs.output;
  const std::int64_t width = output.shape[2];
  const bool dense = has_dense_rows(output);
  const ProductJob job = make_job(plan, slab_rows(plan, slab, true), Product::output, dense);
  for (Chunk chunk; job.take(worker, chunk);) {
    const float* x = slab.memory + plan.context.offset + (chunk.first - job.rows.begin) * plan.context.row_stride;
    float* y = dense ? static_cast<float*>(output.data) + chunk.first * width : worker.memory + plan.worker.rows_out;
    float* scratch = worker.memory + plan.worker.linear;
    if (!worker.multiply(plan.index_of(Product::output), {x, chunk.count, y}, chunk.part, scratch)) return;
    for (std::int64_t i = 0; !dense && i < chunk.count; ++i) {
      store_row(y + i * width, kernels::Element::f32, output, row_of(output, chunk.first + i));
    }
  }
}

}  // namespace headwise::runtime
