// The steps of a call, in order, with what they cost.
#include "plan.hpp"

namespace headwise::runtime {

namespace {

double rows_of(const Plan& plan, bool queries) {
  return double(queries ? plan.request.sizes.query_rows : plan.request.sizes.key_rows);
}

double bytes_of(const TensorView& view) {
  return view.given ? double(dtype_size(view.dtype)) * double(element_count(view.shape)) : 0;
}

void add(Plan& plan, const Step& step) {
  plan.steps[plan.num_steps++] = step;
}

void add_product(Plan& plan, Product product, const char* name, const char* reads, StepFunction run) {
  const projection::LinearShape& shape = plan.model->product(product)->shape();
  const bool queries = product == Product::qkv || product == Product::query || product == Product::output;
  const double rows = rows_of(plan, queries);
  const double flops = 2 * rows * double(shape.in) * double(shape.out);
  const double bytes = 4 * (rows * double(shape.in + shape.out) + double(shape.in) * double(shape.out));
  const char* writes = product == Product::output  ? "output"
                       : product == Product::qkv   ? "Q K V"
                       : product == Product::query ? "Q"
                       : product == Product::key   ? "K"
                                                   : "V";
  add(plan, {name, reads, writes, run, flops, bytes});
}

void add_projections(Plan& plan) {
  if (plan.request.fused) return add_product(plan, Product::qkv, "ProjectQkv", "query", project_qkv);
  if (plan.request.attends) add_product(plan, Product::query, "ProjectQuery", "query", project_query);
  if (!plan.request.key.given) return;
  add_product(plan, Product::key, "ProjectKey", "key", project_key);
  add_product(plan, Product::value, "ProjectValue", "value", project_value);
}

void add_copy(Plan& plan, const char* name, const char* from, const char* to, const TensorView& view,
              StepFunction run) {
  add(plan, {name, from, to, run, 0, bytes_of(view) + 4 * double(element_count(view.shape))});
}

void add_gathers(Plan& plan) {
  const Request& r = plan.request;
  if (r.attends && gathers_queries(plan)) add_copy(plan, "GatherQuery", "query", "Q", r.query, gather_query);
  if (gathers_keys(plan)) add_copy(plan, "GatherKey", "key", "K", r.key, gather_key);
  if (gathers_values(plan)) add_copy(plan, "GatherValue", "value", "V", r.value, gather_value);
}

void add_positions(Plan& plan) {
  const Sizes& s = plan.request.sizes;
  const double query = rows_of(plan, true) * double(s.heads * s.head_dim);
  const double key = rows_of(plan, false) * double(s.kv_heads * s.head_dim);
  if (plan.request.attends && positions_queries(*plan.model)) {
    add(plan, {"PositionQuery", "Q", "Q", position_query, 4 * query, 8 * query});
  }
  if (plan.request.key.given && positions_keys(*plan.model)) {
    add(plan, {"PositionKey", "K", "K", position_key, 4 * key, 8 * key});
  }
}

void add_append(Plan& plan) {
  if (plan.request.cache == nullptr || !plan.request.key.given) return;
  const Sizes& s = plan.request.sizes;
  const double numbers = rows_of(plan, false) * double(s.kv_heads * (s.head_dim + s.value_dim));
  add(plan, {"AppendToCache", "K V", "cache", append_to_cache, 0,
             numbers * double(4 + dtype_size(plan.request.cache->dtype()))});
}

void add_scan(Plan& plan) {
  if (!scans_masks(plan)) return;
  const Sizes& s = plan.request.sizes;
  double numbers = 0;
  for (int m = 0; m < plan.request.num_masks; ++m) {
    const MaskSource& mask = plan.request.masks[m];
    numbers += double(mask.batch_stride != 0 ? s.batch : 1) * double(mask.head_stride != 0 ? s.heads : 1) *
               double(mask.query_stride != 0 ? s.queries : 1) * double(s.keys);
  }
  add(plan, {"ScanMasks", "mask", "classes", scan_masks, 0, numbers});
}

double live_pairs(const Plan& plan, bool few) {
  double pairs = 0;
  for (std::int64_t b = 0; b < plan.request.sizes.batch; ++b) {
    const Sequence& q = plan.request.sequence(b);
    if (q.few == few) pairs += q.pairs + double(q.queries * plan.request.sizes.extra);
  }
  return pairs * double(plan.request.sizes.heads);
}

// Query blocks read the keys again from a cache; what counts here is memory, each number once.
double attend_bytes(const Plan& plan, double pairs) {
  const Request& r = plan.request;
  const Sizes& s = r.sizes;
  double keys = 0;
  for (std::int64_t b = 0; b < s.batch; ++b) keys += double(r.sequence(b).key_end);
  const double size = r.cache != nullptr ? double(dtype_size(r.cache->dtype())) : 4;
  const double sizes = double(s.head_dim + s.value_dim);
  return (4 * double(s.heads) * rows_of(plan, true) + size * double(s.kv_heads) * keys) * sizes +
         (r.outputs.attention.given ? 4 * pairs : 0);
}

void add_attend(Plan& plan) {
  const double sizes = 2 * double(plan.request.sizes.head_dim + plan.request.sizes.value_dim);
  const Request& r = plan.request;
  const bool masked = r.num_masks > 0 || r.left != kernels::MaskForm::open || r.right != kernels::MaskForm::open;
  const char* all = masked ? "Q K V mask" : "Q K V";
  const char* reads = !plan.keys_are_cached() ? all : masked ? "Q cache mask" : "Q cache";
  const double pairs = live_pairs(plan, false);
  const double few = live_pairs(plan, true);
  if (!plan.all_few) add(plan, {"Attend", reads, "context", attend, pairs * sizes, attend_bytes(plan, pairs)});
  if (!plan.any_few) return;
  add(plan, {"AttendSlices", reads, "slices", attend_slices, few * sizes, plan.all_few ? attend_bytes(plan, few) : 0});
  add(plan, {"MergeSlices", "slices", "context", merge_slices, 0, 0});
}

void add_reports(Plan& plan) {
  const AttentionOutputs& o = plan.request.outputs;
  const Sizes& s = plan.request.sizes;
  if (o.scores.given) {
    const double pairs = double(element_count(o.scores.shape));
    add(plan, {"WriteScores", "Q K mask", "scores", write_scores, 2 * pairs * double(s.head_dim), bytes_of(o.scores)});
  }
  if (o.head_context.given) {
    add(plan, {"WriteContext", "context", "head_context", write_head_context, 0, 2 * bytes_of(o.head_context)});
  }
  if (!o.head_contribution.given) return;
  const double numbers = double(element_count(o.head_contribution.shape));
  add(plan, {"WriteParts", "context Wo", "contribution", write_head_contribution, 2 * numbers * double(s.value_dim),
             bytes_of(o.head_contribution)});
}

// Rows past a sequence's own length, in tensors that are padded to the longest: of a ragged batch all but the output.
bool has_padding(const Plan& plan) {
  const Request& r = plan.request;
  const AttentionOutputs& o = r.outputs;
  if (r.ragged) {
    return r.wants_weights() || o.scores.given || o.log_sum_exp.given || o.head_context.given ||
           o.head_contribution.given;
  }
  for (std::int64_t b = 0; b < r.sizes.batch; ++b) {
    if (r.sequence(b).queries < r.sizes.queries) return true;
  }
  return r.sizes.queries == 0;
}

void add_output(Plan& plan) {
  const MutableTensorView& output = plan.request.outputs.output;
  if (plan.model->projected) {
    add_product(plan, Product::output, "ProjectOutput", "context", project_output);
  } else if (!is_in_place(plan, output)) {
    add_copy(plan, "ScatterOutput", "context", "output", output, scatter_output);
  }
  if (has_padding(plan)) add(plan, {"ClearPadding", "lengths", "output", clear_padding, 0, 0});
}

}  // namespace

void add_steps(Plan& plan) {
  plan.model->projected ? add_projections(plan) : add_gathers(plan);
  add_positions(plan);
  add_append(plan);
  if (!plan.request.attends) return;
  add_scan(plan);
  add_attend(plan);
  add_reports(plan);
  add_output(plan);
}

double total_flops(const Plan& plan) {
  double sum = 0;
  for (int i = 0; i < plan.num_steps; ++i) sum += plan.steps[i].flops;
  return sum;
}

}  // namespace headwise::runtime
