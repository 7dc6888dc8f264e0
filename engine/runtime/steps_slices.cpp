// The attention core for few queries: slices of the keys, each for itself, then their merge.
#include <algorithm>

#include "attend_unit.hpp"

namespace headwise::runtime {

namespace {

using kernels::AttendTask;

// The slices of one head of a sequence: places in the slab, each with its state.
kernels::Slice* head_slices(const Plan& plan, const Slab& slab, std::int64_t batch, std::int64_t head) noexcept {
  const Tables& t = plan.tables();
  const std::int64_t first = t.slice_starts[static_cast<std::size_t>(batch)] -
                             t.slice_starts[static_cast<std::size_t>(slab.first)] + head * slices_of(plan, batch);
  return reinterpret_cast<kernels::Slice*>(slab.memory + plan.slices) + first;
}

float* slice_state(const Plan& plan, const Slab& slab, const kernels::Slice* slice) noexcept {
  const auto* all = reinterpret_cast<const kernels::Slice*>(slab.memory + plan.slices);
  return slab.memory + plan.slice_states + (slice - all) * plan.slice_size;
}

// The key at which slice `number` begins, when every key between the first and the last live one is live. Behind the
// last live key come the extra ones.
std::int64_t slice_begin(const Plan& plan, std::int64_t batch, std::int64_t number) noexcept {
  const KeyRange live = live_keys(plan, batch);
  const std::int64_t before = number * kernels::slice_keys;
  const std::int64_t count = live.end - live.begin;
  return before < count ? live.begin + before : plan.request.sequence(batch).keys + before - count;
}

// Slices that threads share write their weights next to each other. Where that can't be the caller's tensor, all slices
// of a head go to the thread that merges them and has rows for one head; rows for all would be as large as all weights.
bool are_shared(const Plan& plan, const Block& block) noexcept {
  return !wants_weights(plan, block) || is_direct(plan, block);
}

struct SliceUnit {
  std::int64_t batch, shared;  // shared: the key/value head
  std::int64_t slice;
};

SliceUnit slice_unit(const Plan& plan, const Slab& slab, std::int64_t unit) noexcept {
  const Tables& t = plan.tables();
  const std::int64_t place = place_of(t.slice_units, slab, unit);
  const std::int64_t rest =
      t.slice_units[static_cast<std::size_t>(slab.first)] + unit - t.slice_units[static_cast<std::size_t>(place)];
  const std::int64_t batch = t.order[static_cast<std::size_t>(place)];
  const std::int64_t each = slice_units(plan, batch) / plan.request.sizes.kv_heads;
  return {batch, rest / each, rest % each};
}

// Slice after slice until the last key. With mask planes only this walk finds where a slice begins.
void walk_slices(const Plan& plan, const Slab& slab, const AttendTask& task, const Block& block) noexcept {
  kernels::Slice* slices = head_slices(plan, slab, block.batch, block.head);
  const std::int64_t limit = slices_of(plan, block.batch);
  std::int64_t first = plan.request.num_masks > 0 ? 0 : slice_begin(plan, block.batch, 0);
  for (std::int64_t s = 0; s < limit; ++s) {
    slices[s].state = slice_state(plan, slab, slices + s);
    plan.model->kernels->attend_slice(task, first, slices[s]);
    first = slices[s].key_end;
    if (first >= task.shape.num_keys + task.extra.count) return;
  }
}

void run_head(const Plan& plan, const Slab& slab, Worker& worker, const SliceUnit& unit, std::int64_t head) noexcept {
  const Block block = block_at(plan, unit.batch, head, 0);
  if (is_idle(plan, block) || !are_shared(plan, block)) return;
  const AttendTask task = block_task(plan, slab, worker, block);
  if (plan.request.num_masks > 0) return walk_slices(plan, slab, task, block);
  kernels::Slice& slice = head_slices(plan, slab, unit.batch, head)[unit.slice];
  slice.state = slice_state(plan, slab, &slice);
  plan.model->kernels->attend_slice(task, slice_begin(plan, unit.batch, unit.slice), slice);
}

// Heads of one group that differ in nothing but their query can be rows of one task, so that a key or value is read
// once for all of them. The bits are those of each head alone. Gates and sinks come with the merge.
bool are_alike(const Plan& plan, const SliceUnit& unit, std::int64_t first, std::int64_t count) noexcept {
  const Model& model = *plan.model;
  if (plan.request.sequence(unit.batch).queries != 1 || plan.request.num_masks > 0) return false;
  if (!model.slopes.empty() || !model.relative.empty()) return false;
  for (std::int64_t head = first; head < first + count; ++head) {
    const Block block = block_at(plan, unit.batch, head, 0);
    if (is_idle(plan, block) || wants_weights(plan, block)) return false;
  }
  return true;
}

// Row `row` of a state of several rows as a state of its own; `to` may be where row 0 starts, when it comes last.
void copy_state(const float* states, std::int64_t rows, std::int64_t row, std::int64_t width, float* to) noexcept {
  std::copy_n(states + row * width, width, to);
  for (std::int64_t i = 0; i < kernels::slice_floats(1, width) - width; ++i)
    to[width + i] = states[rows * width + i * rows + row];
}

// A state has room for few_queries rows, so the first head's takes all of them for a while.
void run_heads(const Plan& plan, const Slab& slab, Worker& worker, const SliceUnit& unit, std::int64_t first,
               std::int64_t count) noexcept {
  AttendTask task = block_task(plan, slab, worker, block_at(plan, unit.batch, first, 0));
  task.query.stride = plan.query.head_stride;
  task.num_queries = count;
  // All rows stand at the position of the one query, not at positions of their own.
  task.mask.key_end = live_keys(plan, unit.batch).end;
  task.mask.first_offset = -kernels::MaskForm::open;
  task.mask.last_offset = kernels::MaskForm::open;
  kernels::Slice all{slice_state(plan, slab, head_slices(plan, slab, unit.batch, first) + unit.slice), 0};
  plan.model->kernels->attend_slice(task, slice_begin(plan, unit.batch, unit.slice), all);
  for (std::int64_t row = count - 1; row >= 0; --row) {
    kernels::Slice& slice = head_slices(plan, slab, unit.batch, first + row)[unit.slice];
    slice = {slice_state(plan, slab, &slice), all.key_end};
    copy_state(all.state, count, row, task.shape.value_dim, slice.state);
  }
}

void run_slices(const Plan& plan, const Slab& slab, Worker& worker, const SliceUnit& unit) noexcept {
  const std::int64_t group = plan.request.sizes.group;
  const std::int64_t end = (unit.shared + 1) * group;
  const std::int64_t together = plan.model->kernels->few_queries;
  for (std::int64_t head = unit.shared * group; head < end; head += together) {
    const std::int64_t count = std::min(together, end - head);
    if (count > 1 && are_alike(plan, unit, head, count)) {
      run_heads(plan, slab, worker, unit, head, count);
      continue;
    }
    for (std::int64_t h = head; h < head + count; ++h) run_head(plan, slab, worker, unit, h);
  }
}

// How many slices of a head were needed.
std::int64_t used_slices(const Plan& plan, const AttendTask& task, const kernels::Slice* slices,
                         std::int64_t batch) noexcept {
  const std::int64_t limit = slices_of(plan, batch);
  std::int64_t count = 1;
  while (count < limit && slices[count - 1].key_end < task.shape.num_keys + task.extra.count) ++count;
  return count;
}

// Columns that no slice looked at: those outside the live range, or behind where the walk ended.
void clear_unseen(const Plan& plan, const AttendTask& task, const Block& block, std::int64_t walked) noexcept {
  const bool masked = plan.request.num_masks > 0;
  const KeyRange live = live_keys(plan, block.batch);
  const std::int64_t keys = task.shape.num_keys;
  const std::int64_t begin = masked ? 0 : live.begin;
  const std::int64_t end = masked ? std::min(walked, keys) : live.end;
  const std::int64_t bytes = element_bytes(task.element);
  for (std::int64_t i = 0; i < task.num_queries; ++i) {
    char* row = reinterpret_cast<char*>(task.weights.data) + i * task.weights.stride * bytes;
    std::fill_n(row, begin * bytes, char{0});
    std::fill_n(row + end * bytes, (keys - end) * bytes, char{0});
  }
}

void merge_block(const Plan& plan, const Slab& slab, const AttendTask& task, const Block& block) noexcept {
  if (!are_shared(plan, block)) walk_slices(plan, slab, task, block);
  const kernels::Slice* slices = head_slices(plan, slab, block.batch, block.head);
  const std::int64_t count = used_slices(plan, task, slices, block.batch);
  if (task.weights.data != nullptr) clear_unseen(plan, task, block, slices[count - 1].key_end);
  plan.model->kernels->merge(task, slices, count);
}

}  // namespace

void attend_slices(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  const auto& sums = plan.tables().slice_units;
  const std::int64_t units =
      sums[static_cast<std::size_t>(slab.first + slab.count)] - sums[static_cast<std::size_t>(slab.first)];
  for (std::int64_t unit = 0; worker.take(units, unit);) run_slices(plan, slab, worker, slice_unit(plan, slab, unit));
}

void merge_slices(const Plan& plan, const Slab& slab, Worker& worker) noexcept {
  for (std::int64_t unit = 0; worker.take(merge_units(plan, slab), unit);) {
    const AttendUnit todo = merge_unit(plan, slab, unit);
    if (!plan.request.sequence(todo.batch).few) continue;
    run_unit(plan, slab, worker, todo,
             [&](const AttendTask& task, const Block& block) { merge_block(plan, slab, task, block); });
  }
}

}  // namespace headwise::runtime
