#include "plan.hpp"

#include <algorithm>

namespace headwise::runtime {

namespace {

// Below this one thread does it all. Two cores, B·S·D: at 4.9 MFLOP (1·16·192) two threads take as long as one, at
// 9.6 MFLOP (1·32·192) 0.57 of the time.
constexpr double inline_flops = 4e6;
// Rows that one thread carries through all steps together: enough for full speed of the products, few enough that the
// fused rows of a common model stay in a 1 MiB L2. At 32·128·384 on two threads deep takes 27.5 ms, wide 29.7; at
// 8·128·768, where a slab is 1.6 MB, they are equal.
constexpr std::int64_t deep_rows = 128;
constexpr std::int64_t largest_chunk = 128;        // the largest row class of a projection
constexpr std::int64_t max_deep_floats = 1 << 20;  // 4 MiB of slab; beyond it the depth-first order gains nothing

double rows_of(const Plan& plan, bool queries) {
  const Sizes& s = plan.request.sizes;
  return double(s.batch) * double(queries ? s.queries : s.keys);
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

void add_attend(Plan& plan) {
  const Sizes& s = plan.request.sizes;
  const double pairs = double(s.batch) * double(s.heads) * double(s.queries) * double(s.keys);
  const double sizes = double(s.head_dim + s.value_dim);
  const double query_bytes = 4 * double(s.heads) * rows_of(plan, true) * sizes;
  const double weights = plan.request.attention.given ? 4 * pairs : 0;
  const double bytes = query_bytes + 4 * double(s.kv_heads) * rows_of(plan, false) * sizes + weights;
  add(plan, {"Attend", "Q K V mask", "context", attend, 2 * pairs * sizes, bytes});
}

void add_projected_steps(Plan& plan) {
  if (plan.request.fused) {
    add_product(plan, Product::qkv, "ProjectQkv", "query", project_qkv);
  } else {
    add_product(plan, Product::query, "ProjectQuery", "query", project_query);
    add_product(plan, Product::key, "ProjectKey", "key", project_key);
    add_product(plan, Product::value, "ProjectValue", "value", project_value);
  }
  add_attend(plan);
  add_product(plan, Product::output, "ProjectOutput", "context", project_output);
}

void add_copy(Plan& plan, const char* name, const char* from, const char* to, const TensorView& view,
              StepFunction run) {
  add(plan, {name, from, to, run, 0, 8 * double(element_count(view.shape))});
}

void add_head_steps(Plan& plan) {
  const Request& r = plan.request;
  if (!has_adjacent_elements(r.query)) add_copy(plan, "GatherQuery", "query", "Q", r.query, gather_query);
  if (!has_adjacent_elements(r.key)) add_copy(plan, "GatherKey", "key", "K", r.key, gather_key);
  if (!has_adjacent_elements(r.value)) add_copy(plan, "GatherValue", "value", "V", r.value, gather_value);
  add_attend(plan);
  if (!has_adjacent_elements(r.output)) add_copy(plan, "ScatterOutput", "context", "output", r.output, scatter_output);
}

double total_flops(const Plan& plan) {
  double sum = 0;
  for (int i = 0; i < plan.num_steps; ++i) sum += plan.steps[i].flops;
  return sum;
}

// As many threads as there are shares of half that size; more would only wait.
int useful_threads(double flops) {
  if (flops < inline_flops) return 1;
  return static_cast<int>(std::min(flops / (inline_flops / 2), double(Session::max_threads)));
}

// Sequences that travel together: about deep_rows rows, and no fewer slabs than threads.
std::int64_t deep_group(const Sizes& s, int threads) {
  const std::int64_t rows = std::max<std::int64_t>({s.queries, s.keys, 1});
  const std::int64_t wanted = (deep_rows + rows - 1) / rows;
  const std::int64_t share = std::max<std::int64_t>(s.batch / threads, 1);
  return std::min(wanted, share);
}

// Deep pays when the slabs fit near the core and divide well over the threads.
bool prefers_deep(const Plan& deep, int threads) {
  if (deep.slabs < 2 || deep.slab_floats > max_deep_floats) return false;
  const std::int64_t rounds = (deep.slabs + threads - 1) / threads;
  return double(deep.slabs) >= 0.85 * double(rounds * threads);
}

void set_group(Plan& plan, std::int64_t group) {
  plan.group = group;
  plan.slabs = group > 0 ? (plan.request.sizes.batch + group - 1) / group : 0;
  lay_out(plan);
}

void choose_schedule(Plan& plan, Schedule wanted) {
  plan.deep = true;
  set_group(plan, deep_group(plan.request.sizes, plan.threads));
  if (wanted == Schedule::deep) return;
  if (wanted == Schedule::automatic && prefers_deep(plan, plan.threads)) return;
  plan.deep = false;
  set_group(plan, plan.request.sizes.batch);
}

}  // namespace

bool has_dense_rows(const TensorView& view) noexcept {
  const Dims& shape = view.shape;
  const Dims& strides = view.strides;
  return (shape[2] <= 1 || strides[2] == 1) && (shape[1] <= 1 || strides[1] == shape[2]) &&
         (shape[0] <= 1 || strides[0] == shape[1] * shape[2]);
}

// At most largest_chunk rows, in equal parts for the threads that share them.
std::int64_t chunk_rows(const Plan& plan, std::int64_t rows) noexcept {
  const std::int64_t sharers = plan.deep ? 1 : plan.threads;
  const std::int64_t chunks = sharers * ((rows + sharers * largest_chunk - 1) / (sharers * largest_chunk));
  if (chunks == 0) return 0;
  const std::int64_t even = (rows + chunks - 1) / chunks;
  return (even + 15) / 16 * 16;
}

std::int64_t max_chunk_rows(std::int64_t rows) noexcept {
  return std::min(largest_chunk, (rows + 15) / 16 * 16);
}

bool has_adjacent_elements(const TensorView& view) noexcept {
  return view.strides[3] == 1 || view.shape[3] == 1;
}

Plan make_plan(const Model& model, const Request& request, const PlanOptions& options) {
  Plan plan;
  plan.model = &model;
  plan.request = request;
  model.projected ? add_projected_steps(plan) : add_head_steps(plan);
  plan.threads = std::min(options.threads, useful_threads(total_flops(plan)));
  choose_schedule(plan, options.schedule);
  return plan;
}

}  // namespace headwise::runtime
