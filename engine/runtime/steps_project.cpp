// The products before and after attention. A unit is a chunk of rows and a part of the columns.
#include <algorithm>

#include "rows.hpp"

namespace headwise::runtime {

namespace {

// Rows of all sequences, and columns of the product.
struct Chunk {
  std::int64_t first, count;
  projection::ColumnPart part;
};

// A product that a slab's rows go through. Rows that are not dense are copied whole, so their columns stay together.
struct Job {
  RowRange rows;
  ProductCut cut;

  Job(const Plan& plan, const RowRange& range, Product product, bool dense)
      : rows(range),
        cut(cut_product(plan, range.end - range.begin, dense ? plan.model->product(product)->max_parts() : 1)) {}

  bool take(Worker& worker, Chunk& chunk) const noexcept {
    const std::int64_t count = rows.end - rows.begin;
    std::int64_t unit = 0;
    if (cut.rows == 0 || !worker.take((count + cut.rows - 1) / cut.rows * cut.parts, unit)) return false;
    const std::int64_t first = unit / cut.parts * cut.rows;
    chunk = {rows.begin + first, std::min(cut.rows, count - first), {unit % cut.parts, cut.parts}};
    return true;
  }
};

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
  const Job job(plan, slab_rows(plan, slab, to.of_queries), product, has_dense_rows(input));
  float* out = slab.memory + to.offset;
  for (Chunk chunk; job.take(worker, chunk);) {
    const float* x = input_rows(input, chunk, worker.memory + plan.worker.rows_in);
    float* y = out + (chunk.first - job.rows.begin) * to.row_stride;
    if (!worker.multiply(product, {x, chunk.count, y}, chunk.part, worker.memory + plan.worker.linear)) return;
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
  const Job job(plan, slab_rows(plan, slab, true), Product::output, dense);
  for (Chunk chunk; job.take(worker, chunk);) {
    const float* x = slab.memory + plan.context.offset + (chunk.first - job.rows.begin) * plan.context.row_stride;
    float* y = dense ? static_cast<float*>(output.data) + chunk.first * width : worker.memory + plan.worker.rows_out;
    float* scratch = worker.memory + plan.worker.linear;
    if (!worker.multiply(Product::output, {x, chunk.count, y}, chunk.part, scratch)) return;
    for (std::int64_t i = 0; !dense && i < chunk.count; ++i) {
      store_row(y + i * width, kernels::Element::f32, output, row_of(output, chunk.first + i));
    }
  }
}

}  // namespace headwise::runtime
