#include "rows.hpp"

#include "cache_access.hpp"

namespace headwise::runtime {

namespace {

using kernels::Element;

kernels::EmptyRow empty_row(RowsWithoutKeys policy) noexcept {
  return policy == RowsWithoutKeys::mean  ? kernels::EmptyRow::mean
         : policy == RowsWithoutKeys::nan ? kernels::EmptyRow::nan
                                          : kernels::EmptyRow::zero;
}

kernels::KeyRows slab_keys(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept {
  return {head_row(plan, slab, source, at), source.row_stride, source.element, nullptr, INT64_MAX};
}

// The oldest token that a circular cache holds may lie anywhere; what wrapped around starts at slot 0.
kernels::KeyRows cached_rows(const KvCache& cache, const Sequence& q, const void* slot0, std::int64_t size) noexcept {
  const Element element = element_of(cache.dtype());
  const std::int64_t first = KvCache::Access::slot(cache, q.position) * size * element_bytes(element);
  const std::int64_t split = KvCache::Access::split(cache, q.position);
  return {static_cast<const char*>(slot0) + first, size, element, slot0, split < q.keys ? split : INT64_MAX};
}

void set_keys(const Plan& plan, const Slab& slab, std::int64_t batch, std::int64_t shared,
              kernels::AttendTask& task) noexcept {
  const Request& r = plan.request;
  if (r.cache == nullptr) {
    task.key = slab_keys(plan, slab, plan.key, {batch, shared, 0, 0});
    task.value = slab_keys(plan, slab, plan.value, {batch, shared, 0, 0});
    return;
  }
  const Sequence& q = r.sequence(batch);
  task.key = cached_rows(*r.cache, q, KvCache::Access::key_data(*r.cache, batch, shared), r.sizes.head_dim);
  task.value = cached_rows(*r.cache, q, KvCache::Access::value_data(*r.cache, batch, shared), r.sizes.value_dim);
}

const float* numbers_at(const Tensor& tensor, std::int64_t at) noexcept {
  const auto* bytes = static_cast<const char*>(tensor.view().data);
  return reinterpret_cast<const float*>(bytes + at * static_cast<std::int64_t>(dtype_size(tensor.dtype())));
}

void set_extra(const Plan& plan, std::int64_t shared, kernels::AttendTask& task) noexcept {
  const Model& model = *plan.model;
  const bool doubles = plan.request.element == Element::f64;
  const Sizes& s = plan.request.sizes;
  task.extra = {nullptr, nullptr, 0, 0, s.extra};
  if (s.extra == 0) return;
  task.extra.keys = numbers_at(doubles ? model.extra_keys_f64 : model.extra_keys, shared * s.head_dim);
  task.extra.values = numbers_at(doubles ? model.extra_values_f64 : model.extra_values, shared * s.value_dim);
  task.extra.key_stride = s.kv_heads * s.head_dim;
  task.extra.value_stride = s.kv_heads * s.value_dim;
}

void fill_score(const Plan& plan, std::int64_t batch, std::int64_t head, kernels::ScoreForm& form) noexcept {
  const Model& model = *plan.model;
  const auto h = static_cast<std::size_t>(head);
  form.scale = model.scale;
  form.softcap = model.config.softcap;
  form.query_offset = plan.request.sequence(batch).offset;
  form.alibi_slope = model.slopes.empty() ? 0 : model.slopes[h];
  form.relative = nullptr;
  if (!model.relative.empty()) {
    form.max_distance = model.config.position_bias.max_distance;
    const std::int64_t middle = form.max_distance + kernels::relative_margin;
    const bool doubles = plan.request.element == Element::f64;
    form.relative = doubles ? reinterpret_cast<const float*>(model.relative_f64[h].data() + middle)
                            : model.relative[h].data() + middle;
  }
  form.has_sink = model.sinks.given();
  if (form.has_sink) form.sink = model.sinks.data()[head];
}

}  // namespace

RowRange slab_rows(const Plan& plan, const Slab& slab, bool queries) noexcept {
  const Sequence& first = plan.request.sequence(slab.first);
  const Sequence& end = plan.request.sequence(slab.first + slab.count);
  return queries ? RowRange{first.query_row, end.query_row} : RowRange{first.key_row, end.key_row};
}

void* head_row(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept {
  const Sequence& q = plan.request.sequence(at.batch);
  const bool own = source.user == nullptr;
  std::int64_t row = at.first;
  std::int64_t elements = at.head * source.head_stride;
  if (source.packed) {
    row += source.of_queries ? q.query_row : q.key_row;
    if (own) row -= slab_rows(plan, slab, source.of_queries).begin;
  } else {
    elements += (own ? at.batch - slab.first : at.batch) * source.batch_stride;
  }
  elements += row * source.row_stride;
  char* start = own ? reinterpret_cast<char*>(slab.memory + source.offset) : source.user;
  return start + elements * element_bytes(source.element);
}

kernels::ConstRows const_rows(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept {
  return {static_cast<const float*>(head_row(plan, slab, source, at)), source.row_stride};
}

kernels::ChunkClass* scanned_classes(const Plan& plan, const Slab& slab, int plane, const Block& block) noexcept {
  const ScanLayout& scan = plan.scans[plane];
  if (!scan.wanted) return nullptr;
  const Sizes& s = plan.request.sizes;
  const std::int64_t height = plan.query_block();
  const std::int64_t blocks = scan.per_block ? (s.queries + height - 1) / height : 1;
  std::int64_t row = scan.per_batch ? block.batch - slab.first : 0;
  row = row * (scan.per_head ? s.heads : 1) + (scan.per_head ? block.head : 0);
  row = row * blocks + (scan.per_block ? block.first / height : 0);
  return reinterpret_cast<kernels::ChunkClass*>(slab.memory + scan.offset) + row * scan_chunks(plan);
}

kernels::AttendTask make_task(const Plan& plan, const Slab& slab, const Worker& worker, const Block& block) noexcept {
  const Request& r = plan.request;
  const Sequence& q = r.sequence(block.batch);
  kernels::AttendTask task;  // clearing it first, planes and all, showed in tiny calls
  task.weights = {nullptr, 0};
  task.log_sum_exp = nullptr;
  task.query = const_rows(plan, slab, plan.query, block);
  const std::int64_t shared = r.sizes.group == 1 ? block.head : block.head / r.sizes.group;  // the key/value head
  set_keys(plan, slab, block.batch, shared, task);
  set_extra(plan, shared, task);
  task.output = {static_cast<float*>(head_row(plan, slab, plan.context, block)), plan.context.row_stride};
  task.shape = {q.keys, r.sizes.head_dim, r.sizes.value_dim,
                task.key.element != r.element || task.value.element != r.element};
  task.first_query = block.first;
  task.num_queries = block.count;
  fill_score(plan, block.batch, block.head, task.score);
  fill_mask(r, block.batch, block.head, task.mask);
  if (!q.few) {
    for (int m = 0; m < task.mask.num_planes; ++m) {
      task.mask.planes[m].classes = scanned_classes(plan, slab, m, block);
    }
  }
  task.empty_row = empty_row(plan.model->config.rows_without_keys);
  task.gate = r.gate(block.batch, block.head);
  task.element = r.element;
  task.scratch = worker.memory + plan.worker.kernel;
  return task;
}

}  // namespace headwise::runtime
