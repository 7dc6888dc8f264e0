// The products before and after attention. A unit is a chunk of rows.
#include <algorithm>

#include "inner_view.hpp"
#include "views.hpp"
#include "worker.hpp"

namespace headwise::runtime {

namespace {

// One row of [B, L, width], counted over all sequences.
template <class View>
View row_view(const View& view, std::int64_t row) {
  return inner_view(view, row / view.shape[1], row % view.shape[1]);
}

struct Chunk {
  std::int64_t first, count;  // rows of the slab
};

bool take_chunk(const Plan& plan, std::int64_t rows, Worker& worker, Chunk& chunk) noexcept {
  const std::int64_t size = chunk_rows(plan, rows);
  std::int64_t unit = 0;
  if (size == 0 || !worker.take((rows + size - 1) / size, unit)) return false;
  chunk = {unit * size, std::min(size, rows - unit * size)};
  return true;
}

// The chunk's rows as dense memory: the caller's own where it is dense already.
const float* input_rows(const TensorView& input, std::int64_t first, std::int64_t count, float* buffer) noexcept {
  const std::int64_t width = input.shape[2];
  if (has_dense_rows(input)) return static_cast<const float*>(input.data) + first * width;
  for (std::int64_t i = 0; i < count; ++i) copy_to_contiguous(row_view(input, first + i), buffer + i * width);
  return buffer;
}

void project(const Plan& plan, const Slab& slab, Worker& worker, Product product, const HeadSource& to) noexcept {
  const Request& r = plan.request;
  const TensorView& input = product == Product::key ? r.key : product == Product::value ? r.value : r.query;
  const std::int64_t length = input.shape[1];
  float* out = slab.memory + to.offset;
  for (Chunk chunk; take_chunk(plan, slab.count * length, worker, chunk);) {
    const std::int64_t first = slab.first * length + chunk.first;
    const float* x = input_rows(input, first, chunk.count, worker.memory + plan.worker.rows_in);
    float* y = out + chunk.first * to.row_stride;
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
  const MutableTensorView& output = plan.request.output;
  const std::int64_t length = output.shape[1];
  const std::int64_t width = output.shape[2];
  const bool dense = has_dense_rows(output);
  for (Chunk chunk; take_chunk(plan, slab.count * length, worker, chunk);) {
    const float* x = slab.memory + plan.context.offset + chunk.first * plan.context.row_stride;
    const std::int64_t first = slab.first * length + chunk.first;
    float* y = dense ? static_cast<float*>(output.data) + first * width : worker.memory + plan.worker.rows_out;
    if (!worker.multiply(Product::output, x, chunk.count, y, worker.memory + plan.worker.linear)) return;
    for (std::int64_t i = 0; !dense && i < chunk.count; ++i) {
      copy_from_contiguous(y + i * width, row_view(output, first + i));
    }
  }
}

}  // namespace headwise::runtime
