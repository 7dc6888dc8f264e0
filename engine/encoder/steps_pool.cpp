// A sequence's hidden states become its embedding, summed in double. A unit is a sequence.
#include <algorithm>
#include <cmath>

#include "encoder_plan.hpp"
#include "rows.hpp"

namespace headwise::encoder {

namespace {

using runtime::Plan;
using runtime::Slab;
using runtime::Worker;

struct PooledRows {
  const float* data;
  std::int64_t count, width;
};

void add_rows(const PooledRows& rows, double* to) noexcept {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    for (std::int64_t i = 0; i < rows.width; ++i) to[i] += rows.data[r * rows.width + i];
  }
}

// A NaN stays one, as in torch.max.
void take_largest(const PooledRows& rows, double* to) noexcept {
  std::copy_n(rows.data, rows.width, to);
  for (std::int64_t r = 1; r < rows.count; ++r) {
    for (std::int64_t i = 0; i < rows.width; ++i) {
      const double value = rows.data[r * rows.width + i];
      if (value > to[i] || std::isnan(value)) to[i] = value;
    }
  }
}

void pool_rows(const PooledRows& rows, Pooling pooling, double* to) noexcept {
  std::fill_n(to, rows.width, 0.0);
  if (rows.count == 0) return;
  if (pooling == Pooling::cls) return static_cast<void>(std::copy_n(rows.data, rows.width, to));
  if (pooling == Pooling::max) return take_largest(rows, to);
  add_rows(rows, to);
  for (std::int64_t i = 0; i < rows.width; ++i) to[i] /= double(rows.count);
}

void normalize(double* x, std::int64_t width) noexcept {
  double sum = 0;
  for (std::int64_t i = 0; i < width; ++i) sum += x[i] * x[i];
  const double norm = std::sqrt(sum);
  for (std::int64_t i = 0; i < width; ++i) x[i] /= norm < 1e-12 ? 1e-12 : norm;
}

}  // namespace

void pool(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const LayerPlan& layer = layer_plan(plan);
  const EncoderOutputs& o = layer.call->outputs;
  const std::int64_t width = layer.width();
  auto* sums = runtime::piece<double>(worker, plan.worker.around);
  for (std::int64_t unit = 0; worker.take(slab.count, unit);) {
    const std::int64_t batch = slab.first + unit;
    const runtime::Sequence& sequence = plan.request.sequence(batch);
    pool_rows({layer.rows.states + sequence.query_row * width, sequence.queries, width}, o.pooling, sums);
    if (o.normalize) normalize(sums, width);
    runtime::store_row(sums, kernels::Element::f64, o.embedding,
                       {batch * o.embedding.strides[0], o.embedding.strides[1], width});
  }
}

std::int64_t worker_floats(const Encoder::Model& model) noexcept {
  std::size_t scratch = 0;  // of products that are oneDNN's
  for (const Layer& layer : model.layers) {
    scratch = std::max({scratch, layer.up.scratch_bytes(), layer.down.scratch_bytes()});
  }
  return std::max(2 * model.config.model_dim, static_cast<std::int64_t>((scratch + 3) / 4));
}

}  // namespace headwise::encoder
