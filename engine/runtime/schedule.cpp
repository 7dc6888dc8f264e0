// Which sequence comes when, what travels together, and how many threads it is worth.
#include <algorithm>
#include <numeric>

#include "plan.hpp"
#include "units.hpp"

namespace headwise::runtime {

namespace {

using kernels::MaskForm;

// Below this one thread does it all. Two cores, B·S·D: at 4.9 MFLOP (1·16·192) two threads take as long as one, at
// 9.6 MFLOP (1·32·192) 0.57 of the time.
constexpr double inline_flops = 4e6;
// Rows that one thread carries through all steps together: enough for full speed of the products, few enough that the
// fused rows of a common model stay in a 1 MiB L2. At 32·128·384 on two threads deep takes 27.5 ms, wide 29.7; at
// 8·128·768, where a slab is 1.6 MB, they are equal.
constexpr std::int64_t deep_rows = 128;
constexpr std::int64_t max_deep_floats = 1 << 20;  // 4 MiB of slab; beyond it the depth-first order gains nothing

// Σ over i = 0 … count − 1 of i + start held to [0, end].
double clamped_sum(std::int64_t count, std::int64_t start, std::int64_t end) {
  const std::int64_t begin = std::clamp<std::int64_t>(-start, 0, count);          // first i with a term above 0
  const std::int64_t full = std::clamp<std::int64_t>(end - start, begin, count);  // first i at the limit
  const double terms = double(full - begin);
  return terms * (double(begin + start) + double(full - 1 + start)) / 2 + double(count - full) * double(end);
}

double live_pairs(const Request& r, const Sequence& q) {
  const bool open = r.left == MaskForm::open && r.right == MaskForm::open;
  if (open) return double(q.queries) * double(q.key_end);
  const double past = r.right == MaskForm::open ? double(q.queries) * double(q.key_end)
                                                : clamped_sum(q.queries, q.offset + r.right + 1, q.key_end);
  return past - (r.left == MaskForm::open ? 0 : clamped_sum(q.queries, q.offset - r.left, q.key_end));
}

// Slices pay for few queries. Self-attention is never served by them: a sequence that is padded to any length must give
// the same bits, and padded it has more queries. It shows by one tensor, by as many live queries as live keys, or,
// where heads are given and only a mask can tell the live keys, by a square call.
bool is_few(const Plan& plan, const Sequence& q) {
  const Request& r = plan.request;
  const bool square = !plan.model->projected && !r.ragged && r.cache == nullptr && !r.has_key_lengths &&
                      r.sizes.queries == r.sizes.keys;
  return !r.one_tensor && !square && q.queries > 0 && q.queries <= plan.model->kernels->few_queries &&
         q.queries < q.key_end;
}

bool differ(const Tables& tables) {
  const auto& all = tables.sequences;
  return std::any_of(all.begin(), all.end() - 1, [&](const Sequence& q) {
    return q.pairs != all.front().pairs || q.queries != all.front().queries;
  });
}

// Longest first, so that no thread starts a long sequence when the others are done. (std::stable_sort would allocate.)
void order_by_work(const std::vector<double>& work, std::vector<std::int64_t>& order) {
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const double work_a = work[static_cast<std::size_t>(a)];
    const double work_b = work[static_cast<std::size_t>(b)];
    return work_a != work_b ? work_a > work_b : a < b;
  });
}

void order_sequences(const Plan& plan, Tables& tables) {
  tables.order.resize(tables.sequences.size() - 1);
  std::iota(tables.order.begin(), tables.order.end(), std::int64_t{0});
  if (plan.deep || !differ(tables)) return;
  tables.work.clear();
  for (const std::int64_t b : tables.order) tables.work.push_back(tables.sequences[static_cast<std::size_t>(b)].pairs);
  order_by_work(tables.work, tables.order);
}

// Running sums over the sequences in order: units of the two kinds of attention steps, and slices.
void count_units(const Plan& plan, Tables& tables) {
  tables.attend_units.assign(1, 0);
  tables.slice_units.assign(1, 0);
  tables.slice_starts.assign(1, 0);
  for (const std::int64_t b : tables.order) {
    const bool few = plan.request.sequence(b).few;
    tables.attend_units.push_back(tables.attend_units.back() + (few ? 0 : attend_units(plan, b)));
    tables.slice_units.push_back(tables.slice_units.back() + (few ? slice_units(plan, b) : 0));
  }
  // By sequence, since a slice is looked up by the sequence that it belongs to.
  for (std::int64_t b = 0; b < plan.request.sizes.batch; ++b) {
    const std::int64_t slices = plan.request.sequence(b).few ? slices_of(plan, b) * plan.request.sizes.heads : 0;
    tables.slice_starts.push_back(tables.slice_starts.back() + slices);
  }
}

std::int64_t rows_of(const Plan& plan, std::int64_t b) {
  const Sequence& q = plan.request.sequence(b);
  const Sequence& next = plan.request.sequence(b + 1);
  return std::max<std::int64_t>({next.query_row - q.query_row, next.key_row - q.key_row, 1});
}

// Neighbours go together until they have deep_rows rows, but so that there is a slab for every thread.
void cut_slabs(Plan& plan, Tables& tables) {
  const std::int64_t batch = plan.request.sizes.batch;
  const std::int64_t rows = std::max(plan.request.sizes.query_rows, plan.request.sizes.key_rows);
  const std::int64_t enough = std::max<std::int64_t>(std::min(deep_rows, rows / plan.threads), 1);
  tables.slab_starts.assign(1, 0);
  std::int64_t gathered = 0;
  for (std::int64_t b = 0; plan.deep && b < batch; ++b) {
    gathered += rows_of(plan, b);
    if (gathered < enough && b + 1 < batch) continue;
    tables.slab_starts.push_back(b + 1);
    gathered = 0;
  }
  if (!plan.deep && batch > 0) tables.slab_starts.push_back(batch);
  plan.slabs = static_cast<std::int64_t>(tables.slab_starts.size()) - 1;
}

void measure_slabs(Plan& plan, const Tables& tables) {
  plan.slab_query_rows = plan.slab_key_rows = plan.slab_sequences = plan.slab_slices = 0;
  for (std::size_t s = 0; s + 1 < tables.slab_starts.size(); ++s) {
    const std::int64_t from = tables.slab_starts[s];
    const std::int64_t to = tables.slab_starts[s + 1];
    const Sequence& first = plan.request.sequence(from);
    const Sequence& end = plan.request.sequence(to);
    plan.slab_query_rows = std::max(plan.slab_query_rows, end.query_row - first.query_row);
    plan.slab_key_rows = std::max(plan.slab_key_rows, end.key_row - first.key_row);
    plan.slab_sequences = std::max(plan.slab_sequences, to - from);
    const auto& slices = tables.slice_starts;
    plan.slab_slices =
        std::max(plan.slab_slices, slices[static_cast<std::size_t>(to)] - slices[static_cast<std::size_t>(from)]);
  }
}

void set_order(Plan& plan, Tables& tables, bool deep) {
  plan.deep = deep;
  order_sequences(plan, tables);
  count_units(plan, tables);
  cut_slabs(plan, tables);
  measure_slabs(plan, tables);
  lay_out(plan);
}

// The share of flops that a slab takes is about its rows and its pairs.
void weigh_slabs(const Plan& plan, Tables& tables) {
  const AttentionConfig& c = plan.model->config;
  const double row =
      plan.around.row_work +
      (plan.model->projected ? double(c.model_dim) * double(c.num_heads * (3 * c.head_dim + c.value_dim)) : 0);
  const double pair = double(c.num_heads) * double(c.head_dim + c.value_dim);
  tables.work.clear();
  for (std::size_t s = 0; s + 1 < tables.slab_starts.size(); ++s) {
    double work = 0;
    for (std::int64_t b = tables.slab_starts[s]; b < tables.slab_starts[s + 1]; ++b) {
      work += row * double(rows_of(plan, b)) + pair * plan.request.sequence(b).pairs;
    }
    tables.work.push_back(work);
  }
  tables.slab_order.resize(tables.work.size());
  std::iota(tables.slab_order.begin(), tables.slab_order.end(), std::int64_t{0});
  order_by_work(tables.work, tables.slab_order);
}

// The share of the threads' time that slabs, longest first to the thread that is free first, keep busy.
double balance(const Tables& tables, int threads) {
  double loads[Session::max_threads] = {};
  double total = 0;
  for (const std::int64_t s : tables.slab_order) {
    const double work = tables.work[static_cast<std::size_t>(s)];
    *std::min_element(loads, loads + threads) += work;
    total += work;
  }
  const double longest = *std::max_element(loads, loads + threads);
  return longest > 0 ? total / (longest * threads) : 1;
}

// Deep pays when the slabs fit near the core and divide well over the threads.
bool prefers_deep(const Plan& plan, const Tables& tables) {
  if (plan.slabs < 2 || plan.slab_floats > max_deep_floats) return false;
  return balance(tables, plan.threads) >= 0.85;
}

double graph_flops(const Plan& plan) {
  const double around = 2 * plan.around.row_work * double(plan.request.sizes.query_rows);
  return plan.around.repeats * (total_flops(plan) + around);
}

// As many threads as there are shares of half that size; more would only wait.
int useful_threads(double flops) {
  if (flops < inline_flops) return 1;
  return static_cast<int>(std::min(flops / (inline_flops / 2), double(Session::max_threads)));
}

}  // namespace

void count_work(Plan& plan, Tables& tables) {
  std::size_t few = 0;
  for (std::size_t b = 0; b + 1 < tables.sequences.size(); ++b) {
    Sequence& sequence = tables.sequences[b];
    sequence.blocks = (sequence.queries + plan.query_block() - 1) / plan.query_block();
    sequence.pairs = plan.request.attends ? live_pairs(plan.request, sequence) : 0;
    sequence.few = plan.request.attends && is_few(plan, sequence);
    few += sequence.few;
  }
  plan.any_few = few > 0;
  plan.all_few = few > 0 && few + 1 == tables.sequences.size();
}

void choose_schedule(Plan& plan, Tables& tables, const PlanOptions& options) {
  plan.threads = std::min(options.threads, useful_threads(graph_flops(plan)));
  if (options.schedule != Schedule::wide && plan.request.sizes.batch > 1) {
    set_order(plan, tables, true);
    weigh_slabs(plan, tables);
    if (options.schedule == Schedule::deep || prefers_deep(plan, tables)) return;
  }
  set_order(plan, tables, false);
}

}  // namespace headwise::runtime
