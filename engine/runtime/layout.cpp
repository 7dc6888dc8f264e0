// Where a plan's data lies.
#include <algorithm>

#include "plan.hpp"

namespace headwise::runtime {

namespace {

using kernels::Element;

// Hands out pieces of whole cache lines.
struct Measure {
  std::int64_t floats = 0;
  std::int64_t take(std::int64_t count) {
    const std::int64_t at = floats;
    floats += (count + 15) / 16 * 16;
    return at;
  }
};

std::int64_t floats_in(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + 3) / 4);
}

// The product's own row distance; its heads lie side by side in a row.
HeadSource projected_heads(const projection::Linear& linear, std::int64_t offset, std::int64_t size, bool queries) {
  HeadSource source;
  source.offset = offset;
  source.head_stride = size;
  source.row_stride = linear.shape().row_stride;
  source.packed = true;
  source.of_queries = queries;
  return source;
}

void lay_out_fused(Plan& plan, Measure& slab) {
  const Sizes& s = plan.request.sizes;
  const auto& linear = *plan.model->product(Product::qkv);
  const std::int64_t start = slab.take(plan.slab_query_rows * linear.shape().row_stride);
  plan.query = projected_heads(linear, start, s.head_dim, true);
  plan.key = projected_heads(linear, start + s.heads * s.head_dim, s.head_dim, false);
  plan.value = projected_heads(linear, start + (s.heads + s.kv_heads) * s.head_dim, s.value_dim, false);
}

HeadSource lay_out_product(Plan& plan, Measure& slab, Product product, std::int64_t size) {
  const auto& linear = *plan.model->product(product);
  const bool queries = product == Product::query;
  const std::int64_t rows = queries ? plan.slab_query_rows : plan.slab_key_rows;
  return projected_heads(linear, slab.take(rows * linear.shape().row_stride), size, queries);
}

void lay_out_projected(Plan& plan, Measure& slab) {
  const Sizes& s = plan.request.sizes;
  if (plan.request.fused) {
    lay_out_fused(plan, slab);
  } else {
    if (plan.request.attends) plan.query = lay_out_product(plan, slab, Product::query, s.head_dim);
    plan.key = lay_out_product(plan, slab, Product::key, s.head_dim);
    plan.value = lay_out_product(plan, slab, Product::value, s.value_dim);
  }
  const std::int64_t width = s.heads * s.value_dim;
  plan.context.offset = slab.take(plan.slab_query_rows * width);
  plan.context.head_stride = s.value_dim;
  plan.context.row_stride = width;
  plan.context.packed = plan.context.of_queries = true;
}

HeadSource user_heads(const Plan& plan, const TensorView& view, bool queries) {
  HeadSource source;
  source.user = static_cast<char*>(const_cast<void*>(view.data));
  source.batch_stride = view.strides[0];
  source.head_stride = view.strides[1];
  source.row_stride = view.strides[2];
  source.packed = plan.request.ragged;
  source.of_queries = queries;
  source.element = element_of(view.dtype);
  return source;
}

// A copy in the type that the call computes in: [sequences][heads][longest][size], ragged rows [heads][rows][size].
HeadSource copied_heads(Plan& plan, Measure& slab, const TensorView& view, bool queries) {
  HeadSource source;
  const std::int64_t heads = view.shape[1];
  const std::int64_t size = view.shape[3];
  const std::int64_t rows = queries ? plan.slab_query_rows : plan.slab_key_rows;
  const std::int64_t longest = plan.request.ragged ? rows : view.shape[2];
  source.row_stride = size;
  source.head_stride = longest * size;
  source.batch_stride = heads * source.head_stride;
  source.packed = plan.request.ragged;
  source.of_queries = queries;
  source.element = plan.request.element;
  source.offset = slab.take(plan.floats_for(heads * rows * size));
  return source;
}

void lay_out_heads(Plan& plan, Measure& slab) {
  const Request& r = plan.request;
  if (r.attends) {
    plan.query = gathers_queries(plan) ? copied_heads(plan, slab, r.query, true) : user_heads(plan, r.query, true);
    const MutableTensorView& out = r.outputs.output;
    plan.context = is_in_place(plan, out) ? user_heads(plan, out, true) : copied_heads(plan, slab, out, true);
  }
  if (!r.key.given) return;
  plan.key = gathers_keys(plan) ? copied_heads(plan, slab, r.key, false) : user_heads(plan, r.key, false);
  plan.value = gathers_values(plan) ? copied_heads(plan, slab, r.value, false) : user_heads(plan, r.value, false);
}

void lay_out_scans(Plan& plan, Measure& slab) {
  const Request& r = plan.request;
  const Sizes& s = r.sizes;
  const bool worth = scans_masks(plan);
  const std::int64_t blocks = (s.queries + plan.query_block() - 1) / plan.query_block();
  for (int m = 0; m < r.num_masks; ++m) {
    const MaskSource& mask = r.masks[m];
    ScanLayout& scan = plan.scans[m];
    scan.wanted = worth;
    scan.per_batch = mask.batch_stride != 0 || mask.query_batch_stride != 0 || r.ragged || r.cache != nullptr;
    scan.per_head = mask.head_stride != 0;
    scan.per_block = mask.query_stride != 0;
    const std::int64_t rows =
        (scan.per_batch ? plan.slab_sequences : 1) * (scan.per_head ? s.heads : 1) * (scan.per_block ? blocks : 1);
    scan.offset = slab.take(worth ? floats_in(static_cast<std::size_t>(rows * scan_chunks(plan))) : 0);
  }
}

void lay_out_slices(Plan& plan, Measure& slab) {
  if (!plan.any_few) return;
  const std::int64_t queries = plan.model->kernels->few_queries;
  plan.slice_size = plan.floats_for((kernels::slice_floats(queries, plan.request.sizes.value_dim) + 15) / 16 * 16);
  plan.slices = slab.take(floats_in(static_cast<std::size_t>(plan.slab_slices) * sizeof(kernels::Slice)));
  plan.slice_states = slab.take(plan.slab_slices * plan.slice_size);
}

void lay_out_rows(Plan& plan, Measure& worker) {
  const AttentionConfig& config = plan.model->config;
  const Request& r = plan.request;
  std::int64_t width = 0;
  if (r.query.given && !has_dense_rows(r.query)) width = config.model_dim;
  if (r.key.given && !has_dense_rows(r.key)) width = std::max(width, config.key_input_dim);
  if (r.value.given && !has_dense_rows(r.value)) width = std::max(width, config.value_input_dim);
  const std::int64_t rows = max_chunk_rows(std::max(plan.slab_query_rows, plan.slab_key_rows));
  plan.worker.rows_in = worker.take(rows * width);
  const bool own = r.attends && !has_dense_rows(r.outputs.output);
  plan.worker.rows_out = worker.take(own ? rows * config.output_dim : 0);
  std::size_t scratch = 0;
  for (const auto& linear : plan.model->products) {
    if (linear) scratch = std::max(scratch, linear->scratch_bytes());
  }
  plan.worker.linear = worker.take(floats_in(scratch));
}

std::int64_t kernel_floats(const Plan& plan) {
  const Sizes& s = plan.request.sizes;
  const kernels::KernelTable& table = *plan.model->kernels;
  const bool converted = plan.keys_are_cached()
                             ? plan.request.cache->dtype() != DType::f32
                             : plan.key.element != Element::f32 || plan.value.element != Element::f32;
  std::size_t bytes = table.scratch_bytes({s.keys + s.extra, s.head_dim, s.value_dim, converted});
  if (plan.request.outputs.head_contribution.given) {
    bytes = std::max(bytes, table.scratch_bytes({plan.model->config.output_dim, s.value_dim, s.value_dim, false}));
  }
  return floats_in(bytes);
}

// A block's rows of weights, scores or contributions.
std::int64_t block_width(const Plan& plan) {
  const AttentionOutputs& o = plan.request.outputs;
  std::int64_t width = 0;
  if (plan.request.wants_weights() || o.scores.given) width = plan.request.columns();
  if (o.head_contribution.given) width = std::max(width, plan.model->config.output_dim);
  return width;
}

void lay_out_worker(Plan& plan, Measure& worker) {
  const Request& r = plan.request;
  const AttentionOutputs& o = r.outputs;
  const std::int64_t rows = std::min(plan.query_block(), r.sizes.queries);
  WorkerLayout& layout = plan.worker;
  layout.kernel = worker.take(r.attends ? kernel_floats(plan) : 0);
  layout.weights = worker.take(plan.floats_for(rows * block_width(plan)));
  layout.average = worker.take(o.average_attention.given ? plan.floats_for(rows * r.columns()) : 0);
  const std::int64_t heads = o.average_attention.given ? r.sizes.heads : 1;
  layout.columns = worker.take(o.column_sums.given ? plan.floats_for(heads * r.columns()) : 0);
  layout.log_sum_exp = worker.take(o.log_sum_exp.given ? 2 * rows : 0);
  layout.top = worker.take(o.top_weights.given || o.top_keys.given ? 2 * r.columns() : 0);
  layout.angles = worker.take(plan.model->config.rotary.dim);
  if (plan.model->projected) lay_out_rows(plan, worker);
  layout.around = worker.take(plan.around.worker_floats);
  layout.floats = worker.floats;
}

}  // namespace

std::int64_t scan_chunks(const Plan& plan) noexcept {
  return (plan.request.sizes.keys + kernels::scan_chunk - 1) / kernels::scan_chunk;
}

bool scans_masks(const Plan& plan) noexcept {
  const Request& r = plan.request;
  return r.attends && r.num_masks > 0 && !plan.all_few && r.sizes.keys >= 2 * kernels::scan_chunk;
}

void lay_out(Plan& plan) {
  Measure slab;
  Measure worker;
  plan.model->projected ? lay_out_projected(plan, slab) : lay_out_heads(plan, slab);
  lay_out_scans(plan, slab);
  lay_out_slices(plan, slab);
  plan.slab_floats = std::max(slab.floats, plan.slab_query_rows * plan.around.row_floats);
  lay_out_worker(plan, worker);
}

}  // namespace headwise::runtime
