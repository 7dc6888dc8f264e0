// A call as data: the steps in order, the schedule, and where everything lies in scratch memory. Nothing else in
// headwise knows the order of the steps.
#pragma once

#include <cstddef>

#include "request.hpp"

namespace headwise::runtime {

class Worker;
struct Plan;

// The sequences that travel together: the whole batch when the plan is wide, a few neighbours when it is deep.
struct Slab {
  std::int64_t first = 0, count = 0;  // places in Tables::order; a deep plan keeps the order of the batch
  float* memory = nullptr;            // Plan::slab_floats
};

// Runs units of a step, as many as the worker can take, on the calling thread.
using StepFunction = void (*)(const Plan& plan, const Slab& slab, Worker& worker) noexcept;

struct Step {
  const char* name;
  const char* reads;
  const char* writes;
  StepFunction run;
  double flops, bytes;
};

// Where the rows of heads lie: in the slab or in the caller's tensor. Strides count elements.
struct HeadSource {
  char* user = nullptr;  // nullptr: in the slab, `offset` floats behind its start
  std::int64_t offset = 0;
  std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
  bool packed = false;      // the rows of all sequences lie one after the other, without batch_stride
  bool of_queries = false;  // rows of queries and contexts, or of keys and values
  kernels::Element element = kernels::Element::f32;
};

// Pieces of a worker's own memory, as float offsets; each starts on a cache line.
struct WorkerLayout {
  std::int64_t kernel = 0, linear = 0, rows_in = 0, rows_out = 0, weights = 0, average = 0, columns = 0;
  std::int64_t log_sum_exp = 0, angles = 0, top = 0;
  std::int64_t around = 0;  // Around::worker_floats
  std::int64_t floats = 0;
};

// What one mask plane's scan leaves: [batches][heads][blocks][chunks] classes; an axis that the mask shares has size 1.
struct ScanLayout {
  bool wanted = false;
  std::int64_t offset = 0;  // floats behind the start of the slab
  bool per_batch = false, per_head = false, per_block = false;
};

// The steps that stand around a plan's own in a larger graph, as far as schedule and memory depend on them.
struct Around {
  double repeats = 1;              // how often the graph goes through the plan and what is around it
  double row_work = 0;             // multiply-adds of a row
  std::int64_t row_floats = 0;     // of a slab for each of its rows, while the plan's own steps do not run
  std::int64_t worker_floats = 0;  // of each worker
};

struct Plan {
  static constexpr int max_steps = 16;

  const Model* model = nullptr;
  std::size_t first_product = 0;  // of the model, among those of the workers
  Around around;
  Request request;
  Step steps[max_steps];
  int num_steps = 0;
  HeadSource query, key, value, context;
  ScanLayout scans[kernels::MaskForm::max_planes];
  std::int64_t slices = 0;  // Slice structs in the slab, then their states, as float offsets
  std::int64_t slice_states = 0;
  std::int64_t slice_size = 0;  // floats of a state
  std::int64_t slab_floats = 0;
  WorkerLayout worker;
  int threads = 1;  // how many take part
  bool deep = false;
  bool any_few = false, all_few = false;
  std::int64_t slabs = 0;
  std::int64_t slab_query_rows = 0, slab_key_rows = 0, slab_sequences = 0, slab_slices = 0;  // of the largest

  const Tables& tables() const noexcept { return *request.tables; }
  std::size_t index_of(Product product) const noexcept { return first_product + static_cast<std::size_t>(product); }
  std::int64_t scratch_floats() const noexcept {
    return (deep ? threads * slab_floats : slab_floats) + threads * worker.floats;
  }
  std::int64_t query_block() const noexcept { return model->kernels->query_block; }
  // Floats that hold `count` numbers of the type that the call computes in.
  std::int64_t floats_for(std::int64_t count) const noexcept {
    return request.element == kernels::Element::f64 ? 2 * count : count;
  }
  bool keys_are_cached() const noexcept { return request.cache != nullptr; }
};

struct PlanOptions {
  int threads = 1;
  Schedule schedule = Schedule::automatic;
};

// Completes a plan whose model and request are set, and what is around it if anything is; fills the tables of the
// work's order.
void make_plan(Plan& plan, Tables& tables, const PlanOptions& options);

// plan_steps.cpp: the steps in order.
void add_steps(Plan& plan);
double total_flops(const Plan& plan);

// schedule.cpp: which sequence comes when, in how many units, on how many threads.
void count_work(Plan& plan, Tables& tables);
void choose_schedule(Plan& plan, Tables& tables, const PlanOptions& options);

// layout.cpp: fills the head sources and the scratch sizes of a plan whose slabs are known.
void lay_out(Plan& plan);
std::int64_t scan_chunks(const Plan& plan) noexcept;
// Classes are worth a scan when there is more than a chunk or two; few queries read their rows of a mask once anyway.
bool scans_masks(const Plan& plan) noexcept;

// How the threads of a plan share a product of `rows` rows: in chunks of so many rows, each in parts of its columns.
struct ProductCut {
  std::int64_t rows = 0, parts = 1;
};
ProductCut cut_product(const Plan& plan, std::int64_t rows, std::int64_t max_parts) noexcept;
// No chunk of `rows` rows or of fewer is larger. (Chunks do not grow with the rows: 128 rows make one of 128, 129 make
// two of 65.)
std::int64_t max_chunk_rows(std::int64_t rows) noexcept;
// True when row r of f32 [B, L, width] starts r · width floats after the first.
bool has_dense_rows(const TensorView& view) noexcept;
// True when the elements of a row of [B, H, L, size] are adjacent.
bool has_adjacent_elements(const TensorView& view) noexcept;
// The kernels can read (queries: f32, or f64) or write the rows of [B, H, L, size] in place.
bool is_in_place(const Plan& plan, const TensorView& view) noexcept;
// Queries (or keys) are changed after projection: normalised or turned.
bool positions_queries(const Model& model) noexcept;
bool positions_keys(const Model& model) noexcept;
// Keys and values must be copied from the caller's tensors into the slab.
bool gathers_keys(const Plan& plan) noexcept;
bool gathers_values(const Plan& plan) noexcept;
bool gathers_queries(const Plan& plan) noexcept;

// steps_*.cpp
void project_qkv(const Plan&, const Slab&, Worker&) noexcept;
void project_query(const Plan&, const Slab&, Worker&) noexcept;
void project_key(const Plan&, const Slab&, Worker&) noexcept;
void project_value(const Plan&, const Slab&, Worker&) noexcept;
void project_output(const Plan&, const Slab&, Worker&) noexcept;
void gather_query(const Plan&, const Slab&, Worker&) noexcept;
void gather_key(const Plan&, const Slab&, Worker&) noexcept;
void gather_value(const Plan&, const Slab&, Worker&) noexcept;
void scatter_output(const Plan&, const Slab&, Worker&) noexcept;
void position_query(const Plan&, const Slab&, Worker&) noexcept;
void position_key(const Plan&, const Slab&, Worker&) noexcept;
void append_to_cache(const Plan&, const Slab&, Worker&) noexcept;
void scan_masks(const Plan&, const Slab&, Worker&) noexcept;
void attend(const Plan&, const Slab&, Worker&) noexcept;
void attend_slices(const Plan&, const Slab&, Worker&) noexcept;
void merge_slices(const Plan&, const Slab&, Worker&) noexcept;
void write_scores(const Plan&, const Slab&, Worker&) noexcept;
void write_head_context(const Plan&, const Slab&, Worker&) noexcept;
void write_head_contribution(const Plan&, const Slab&, Worker&) noexcept;
void clear_padding(const Plan&, const Slab&, Worker&) noexcept;

}  // namespace headwise::runtime
