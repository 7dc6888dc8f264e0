// Rows of queries and keys between projection and attention: normalised, turned, put into the cache, and the masks
// looked over once.
#include <algorithm>

#include "cache_access.hpp"
#include "rows.hpp"

namespace headwise::runtime {

namespace {

constexpr std::int64_t rows_per_unit = 16;

struct Rows {
  std::int64_t batch, first, count;
};

// A unit is up to rows_per_unit rows of one sequence; all sequences count as long as the longest.
bool take_rows(const Plan& plan, const Slab& slab, Worker& worker, bool queries, Rows& rows) noexcept {
  const Sizes& s = plan.request.sizes;
  const std::int64_t parts = ((queries ? s.queries : s.new_keys) + rows_per_unit - 1) / rows_per_unit;
  std::int64_t unit = 0;
  if (!worker.take(slab.count * parts, unit)) return false;
  rows.batch = slab.first + unit / parts;
  rows.first = unit % parts * rows_per_unit;
  const Sequence& q = plan.request.sequence(rows.batch);
  rows.count = std::min(rows_per_unit, (queries ? q.queries : q.new_keys) - rows.first);
  return true;
}

void set_angles(const Plan& plan, const Worker& worker, std::int64_t position, kernels::PositionTask& task) noexcept {
  const Request& r = plan.request;
  const std::int64_t half = task.rotary_dim / 2;
  float* cos = worker.memory + plan.worker.angles;
  float* sin = cos + half;
  task.cos = cos;
  task.sin = sin;
  if (r.rotary_cos.given) {
    const std::int64_t at[] = {position * r.rotary_cos.strides[0], position * r.rotary_sin.strides[0]};
    load_row(r.rotary_cos, {at[0], r.rotary_cos.strides[1], half}, kernels::Element::f32, cos);
    load_row(r.rotary_sin, {at[1], r.rotary_sin.strides[1], half}, kernels::Element::f32, sin);
    return;
  }
  const RotaryTable& table = plan.model->rotary;
  if (position < 0 || position >= table.positions()) return table.angles(position, cos, sin);
  task.cos = table.cos(position);
  task.sin = table.sin(position);
}

void position(const Plan& plan, const Slab& slab, Worker& worker, const HeadSource& source) noexcept {
  const Model& model = *plan.model;
  const Sizes& s = plan.request.sizes;
  const PositionSource positions{&plan.request, source.of_queries};
  const bool doubles = plan.request.element == kernels::Element::f64;
  const Tensor& query_norm = doubles ? model.query_norm_f64 : model.query_norm;
  const Tensor& norm = source.of_queries ? query_norm : doubles ? model.key_norm_f64 : model.key_norm;
  kernels::PositionTask task{};
  task.heads = source.of_queries ? s.heads : s.kv_heads;
  task.head_stride = source.head_stride;
  task.head_dim = s.head_dim;
  task.norm = static_cast<const float*>(norm.view().data);
  task.epsilon = model.config.norm_epsilon;
  task.rotary_dim = model.config.rotary.dim;
  task.interleaved = model.config.rotary.layout == RotaryLayout::interleaved;
  task.element = plan.request.element;
  for (Rows rows; take_rows(plan, slab, worker, source.of_queries, rows);) {
    for (std::int64_t i = rows.first; i < rows.first + rows.count; ++i) {
      task.row = static_cast<float*>(head_row(plan, slab, source, {rows.batch, 0, i, 1}));
      if (task.rotary_dim > 0) set_angles(plan, worker, positions.at(rows.batch, i), task);
      model.kernels->position(task);
    }
  }
}

CacheRows new_rows(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept {
  return {static_cast<const float*>(head_row(plan, slab, source, at)), source.row_stride};
}

}  // namespace

void position_query(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  position(plan, slab, worker, plan.query);
}
void position_key(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  position(plan, slab, worker, plan.key);
}

// A unit is one head of one sequence.
void append_to_cache(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const std::int64_t heads = plan.request.sizes.kv_heads;
  for (std::int64_t unit = 0; worker.take(slab.count * heads, unit);) {
    const Block at{slab.first + unit / heads, unit % heads, 0, 0};
    const Sequence& q = plan.request.sequence(at.batch);
    KvCache::Access::write_rows(*plan.request.cache, {at.batch, at.head, q.cached}, new_rows(plan, slab, plan.key, at),
                                new_rows(plan, slab, plan.value, at), q.new_keys);
  }
}

// A unit is a block of queries of one plane; planes that share an axis are scanned once for all of it. The block counts
// all rows that the mask has, since sequences of different lengths may share it: what is dead or plain for more queries
// is so for fewer.
void scan_masks(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const Request& r = plan.request;
  const std::int64_t height = plan.query_block();
  const std::int64_t blocks = (r.sizes.queries + height - 1) / height;
  const std::int64_t per_plane = slab.count * r.sizes.heads * blocks;
  for (std::int64_t unit = 0; worker.take(r.num_masks * per_plane, unit);) {
    const auto plane = static_cast<int>(unit / per_plane);
    const std::int64_t rest = unit % per_plane;
    const std::int64_t first = rest % blocks * height;
    const Block block{slab.first + rest / blocks / r.sizes.heads, rest / blocks % r.sizes.heads, first,
                      std::min(height, r.sizes.queries - first)};
    const ScanLayout& scan = plan.scans[plane];
    const bool shared = (!scan.per_batch && block.batch != slab.first) || (!scan.per_head && block.head != 0) ||
                        (!scan.per_block && block.first != 0);
    if (shared) continue;
    const kernels::MaskForm mask = mask_form(r, block.batch, block.head);
    kernels::AttendTask task{};
    task.first_query = block.first;
    task.num_queries = scan.per_block ? block.count : 1;
    task.shape.num_keys = r.masks[plane].columns;
    plan.model->kernels->scan(mask.planes[plane], task, scanned_classes(plan, slab, plane, block));
  }
}

}  // namespace headwise::runtime
