// The products before and after attention. A unit is a chunk of rows.
#include <algorithm>

#include "rows.hpp"

namespace headwise::runtime {

namespace {

struct Chunk {
  std::int64_t first, count;  // rows of all sequences
};

bool take_chunk(const Plan& plan, const RowRange& rows, Worker& worker, Chunk& chunk) noexcept {
  const std::int64_t count = rows.end - rows.begin;
  const std::int64_t size = chunk_rows(plan, count);
  std::int64_t unit = 0;
  if (size == 0 || !worker.take((count + size - 1) / size, unit)) return false;
  chunk = {rows.begin + unit * size, std::min(size, count - unit * size)};
  return true;
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
  const RowRange rows = slab_rows(plan, slab, to.of_queries);
  float* out = slab.memory + to.offset;
  for (Chunk chunk; take_chunk(plan, rows, worker, chunk);) {
    const float* x = input_rows(input, chunk, worker.memory + plan.worker.rows_in);
    float* y = out + (chunk.first - rows.begin) * to.row_stride;
    if (!worker.multiply(product, x, chunk.count, y, worker.memory + plan.worker.linear)) return;
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
  const RowRange rows = slab_rows(plan, slab, true);
  for (Chunk chunk; take_chunk(plan, rows, worker, chunk);) {
    const float* x = slab.memory + plan.context.offset + (chunk.first - rows.begin) * plan.context.row_stride;
    float* y = dense ? static_cast<float*>(output.data) + chunk.first * width : worker.memory + plan.worker.rows_out;
    if (!worker.multiply(Product::output, x, chunk.count, y, worker.memory + plan.worker.linear)) return;
    for (std::int64_t i = 0; !dense && i < chunk.count; ++i) {
      store_row(y + i * width, kernels::Element::f32, output, row_of(output, chunk.first + i));
    }
  }
}

}  // namespace headwise::runtime
