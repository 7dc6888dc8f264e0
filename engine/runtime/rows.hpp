// Addresses of rows in the slab and in the caller's tensors, and the kernel task of a block.
#pragma once

#include "units.hpp"
#include "worker.hpp"

namespace headwise::runtime {

// Rows of a slab counted over its sequences: [begin, end) of the flat query or key rows.
struct RowRange {
  std::int64_t begin, end;
};
RowRange slab_rows(const Plan& plan, const Slab& slab, bool queries) noexcept;

// Row `row` of a head of a sequence.
void* head_row(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept;
// The same as the kernels take it: rows of queries and contexts.
kernels::ConstRows const_rows(const Plan& plan, const Slab& slab, const HeadSource& source, const Block& at) noexcept;

// Classes that the scan of a plane left for a block, or nullptr.
kernels::ChunkClass* scanned_classes(const Plan& plan, const Slab& slab, int plane, const Block& block) noexcept;

// A block's task without weights, log-sum-exp and scratch of its own.
kernels::AttendTask make_task(const Plan& plan, const Slab& slab, const Worker& worker, const Block& block) noexcept;

// The type in which the call computes: a worker's piece at `offset` as numbers of it.
template <class T>
T* piece(const Worker& worker, std::int64_t offset) noexcept {
  return reinterpret_cast<T*>(worker.memory + offset);
}

}  // namespace headwise::runtime
