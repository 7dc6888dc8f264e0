#include "units.hpp"

#include <algorithm>

namespace headwise::runtime {

namespace {

std::int64_t head_units(const Plan& plan) noexcept {
  return plan.request.outputs.average_attention.given ? 1 : plan.request.sizes.heads;
}

std::int64_t heads_together(const Plan& plan) noexcept {
  return plan.request.outputs.average_attention.given ? plan.request.sizes.heads : 1;
}

std::size_t at(std::int64_t index) noexcept {
  return static_cast<std::size_t>(index);
}

}  // namespace

Block block_at(const Plan& plan, std::int64_t batch, std::int64_t head, std::int64_t block) noexcept {
  const std::int64_t first = block * plan.query_block();
  return {batch, head, first, std::min(plan.query_block(), plan.request.sequence(batch).queries - first)};
}

std::int64_t attend_units(const Plan& plan, std::int64_t batch) noexcept {
  const bool together = plan.request.outputs.column_sums.given;
  const std::int64_t blocks = plan.request.sequence(batch).blocks;
  return head_units(plan) * (together ? std::min<std::int64_t>(blocks, 1) : blocks);
}

std::int64_t place_of(const std::vector<std::int64_t>& sums, const Slab& slab, std::int64_t unit) noexcept {
  if (slab.count == 1) return slab.first;
  const auto first = sums.begin() + slab.first;
  return std::upper_bound(first, first + slab.count + 1, *first + unit) - sums.begin() - 1;
}

AttendUnit attend_unit(const Plan& plan, const Slab& slab, std::int64_t unit) noexcept {
  const Tables& t = plan.tables();
  const std::int64_t place = place_of(t.attend_units, slab, unit);
  const std::int64_t rest = t.attend_units[at(slab.first)] + unit - t.attend_units[at(place)];
  AttendUnit result;
  result.batch = t.order[at(place)];
  const std::int64_t blocks = plan.request.sequence(result.batch).blocks;
  const bool together = plan.request.outputs.column_sums.given;
  const std::int64_t per_head = together ? 1 : blocks;
  const std::int64_t number = per_head == 1 ? rest : rest / per_head;  // a division shows in tiny calls
  result.heads = heads_together(plan);
  result.head = number * result.heads;
  result.blocks = together ? blocks : 1;
  // The last block comes first: under a causal mask it is the longest, and the short ones fill the gaps at the end.
  result.block = together ? 0 : blocks - 1 - (rest - number * per_head);
  return result;
}

std::int64_t merge_units(const Plan& plan, const Slab& slab) noexcept {
  return slab.count * head_units(plan);
}

AttendUnit merge_unit(const Plan& plan, const Slab& slab, std::int64_t unit) noexcept {
  const std::int64_t per_sequence = head_units(plan);
  AttendUnit result;
  result.batch = plan.tables().order[at(slab.first + unit / per_sequence)];
  result.heads = heads_together(plan);
  result.head = unit % per_sequence * result.heads;
  return result;
}

KeyRange live_keys(const Plan& plan, std::int64_t batch) noexcept {
  const Sequence& q = plan.request.sequence(batch);
  const kernels::MaskForm mask = mask_form(plan.request, batch, 0);
  const std::int64_t begin = std::clamp<std::int64_t>(mask.first_offset, 0, q.key_end);
  const std::int64_t end = std::clamp<std::int64_t>(q.queries + mask.last_offset, begin, q.key_end);
  return {begin, end};
}

std::int64_t slices_of(const Plan& plan, std::int64_t batch) noexcept {
  const KeyRange live = live_keys(plan, batch);
  const std::int64_t keys = live.end - live.begin + plan.request.sizes.extra;
  return std::max<std::int64_t>((keys + kernels::slice_keys - 1) / kernels::slice_keys, 1);
}

std::int64_t slice_units(const Plan& plan, std::int64_t batch) noexcept {
  return plan.request.sizes.kv_heads * (plan.request.num_masks > 0 ? 1 : slices_of(plan, batch));
}

}  // namespace headwise::runtime
