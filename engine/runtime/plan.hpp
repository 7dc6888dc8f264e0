// A call as data: the steps in order, the schedule, and where everything lies in scratch memory. Nothing else in
// headwise knows the order of the steps.
#pragma once

#include <cstddef>

#include "request.hpp"

namespace headwise::runtime {

class Worker;
struct Plan;

// The sequences that travel together: the whole batch when the plan is wide, a few when it is deep.
struct Slab {
  std::int64_t first = 0, count = 0;
  float* memory = nullptr;  // Plan::slab_floats
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

// Where the rows of heads lie: in the slab or in the caller's tensor.
struct HeadSource {
  float* user = nullptr;  // nullptr: in the slab, `offset` floats behind its start
  std::int64_t offset = 0;
  std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
};

// Pieces of a worker's own memory, as float offsets; each starts on a cache line.
struct WorkerLayout {
  std::int64_t kernel = 0, linear = 0, rows_in = 0, rows_out = 0, weights = 0, average = 0;
  std::int64_t floats = 0;
};

struct Plan {
  static constexpr int max_steps = 8;

  const Model* model = nullptr;
  Request request;
  Step steps[max_steps];
  int num_steps = 0;
  HeadSource query, key, value, context;
  std::int64_t slab_floats = 0;
  WorkerLayout worker;
  int threads = 1;  // how many take part
  bool deep = false;
  std::int64_t group = 0, slabs = 0;  // sequences of a slab, slabs in all

  std::int64_t scratch_floats() const noexcept {
    return (deep ? threads * slab_floats : slab_floats) + threads * worker.floats;
  }
  kernels::HeadShape head_shape() const noexcept {
    return {request.sizes.keys, request.sizes.head_dim, request.sizes.value_dim};
  }
};

struct PlanOptions {
  int threads = 1;
  Schedule schedule = Schedule::automatic;
};

Plan make_plan(const Model& model, const Request& request, const PlanOptions& options);

// Rows of one projection unit when `rows` rows are shared by a plan's threads.
std::int64_t chunk_rows(const Plan& plan, std::int64_t rows) noexcept;
// No chunk of `rows` rows or of fewer is larger. (chunk_rows itself does not grow with its rows: 128 rows make one
// chunk of 128, 129 make two of 80.)
std::int64_t max_chunk_rows(std::int64_t rows) noexcept;
// True when row r of [B, L, width] starts r · width floats after the first.
bool has_dense_rows(const TensorView& view) noexcept;

// True when the elements of a row of [B, H, L, size] are adjacent, so that the kernels can read or write it in place.
bool has_adjacent_elements(const TensorView& view) noexcept;

// layout.cpp: fills the head sources and the scratch sizes of a plan whose group is known.
void lay_out(Plan& plan);

// steps_*.cpp
void project_qkv(const Plan&, const Slab&, Worker&) noexcept;
void project_query(const Plan&, const Slab&, Worker&) noexcept;
void project_key(const Plan&, const Slab&, Worker&) noexcept;
void project_value(const Plan&, const Slab&, Worker&) noexcept;
void attend(const Plan&, const Slab&, Worker&) noexcept;
void project_output(const Plan&, const Slab&, Worker&) noexcept;
void gather_query(const Plan&, const Slab&, Worker&) noexcept;
void gather_key(const Plan&, const Slab&, Worker&) noexcept;
void gather_value(const Plan&, const Slab&, Worker&) noexcept;
void scatter_output(const Plan&, const Slab&, Worker&) noexcept;

}  // namespace headwise::runtime
