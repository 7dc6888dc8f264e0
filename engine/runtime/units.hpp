// How a sequence's attention is cut into units of work, and what a unit covers.
#pragma once

#include "plan.hpp"

namespace headwise::runtime {

// A block of query rows of one head.
struct Block {
  std::int64_t batch = 0, head = 0;
  std::int64_t first = 0, count = 0;
};

// What one thread does in one go: a block of one head; all heads of a block when their mean is wanted, so that it is
// summed in head order and never needs all heads' weights at once; all blocks of a head when column sums are wanted.
struct AttendUnit {
  std::int64_t batch = 0;
  std::int64_t head = 0, heads = 1;
  std::int64_t block = 0, blocks = 1;
};

Block block_at(const Plan& plan, std::int64_t batch, std::int64_t head, std::int64_t block) noexcept;

// Units of the Attend step for one sequence.
std::int64_t attend_units(const Plan& plan, std::int64_t batch) noexcept;
// The unit that the running sums of Tables put at `unit` of the slab.
AttendUnit attend_unit(const Plan& plan, const Slab& slab, std::int64_t unit) noexcept;
// The same for sequences that are served by slices: there a unit has one block.
std::int64_t merge_units(const Plan& plan, const Slab& slab) noexcept;
AttendUnit merge_unit(const Plan& plan, const Slab& slab, std::int64_t unit) noexcept;

// Keys that positions and lengths leave live for some query of a sequence: [begin, end).
struct KeyRange {
  std::int64_t begin, end;
};
KeyRange live_keys(const Plan& plan, std::int64_t batch) noexcept;
// Slices that a sequence can need, for each head.
std::int64_t slices_of(const Plan& plan, std::int64_t batch) noexcept;
// Units of the AttendSlices step: slices times key/value heads. With mask planes only a walk over the keys tells where
// a slice begins, so one unit does all slices of a key/value head.
std::int64_t slice_units(const Plan& plan, std::int64_t batch) noexcept;

// Which place of an ascending table of running sums holds `unit`; sums[place] ≤ unit < sums[place + 1].
std::int64_t place_of(const std::vector<std::int64_t>& sums, const Slab& slab, std::int64_t unit) noexcept;

}  // namespace headwise::runtime
