// What becomes of a block's attention weights: the caller's tensors of weights, means, largest weights and column sums.
#pragma once

#include "rows.hpp"

namespace headwise::runtime {

// Some output needs the weights of this block.
bool wants_weights(const Plan& plan, const Block& block) noexcept;
// The caller's own rows serve the kernel: nothing has to be chosen, converted or moved.
bool is_direct(const Plan& plan, const Block& block) noexcept;
// Where the kernel writes them: there, otherwise to the worker.
kernels::Rows weight_rows(const Plan& plan, const Worker& worker, const Block& block) noexcept;
// Hands a block's finished weights to every output but the mean and the column sums.
void store_weights(const Plan& plan, Worker& worker, const Block& block, const kernels::Rows& rows) noexcept;
// Brings the extra keys to the end of rows whose sequence is not the longest, with `fill` in the gap.
void spread_rows(const Plan& plan, const Block& block, const kernels::Rows& rows, double fill) noexcept;

// Rows of [B, n, n, columns] for the chosen heads and queries that the block holds.
void store_chosen(const Plan& plan, const Block& block, const kernels::Rows& rows,
                  const MutableTensorView& to) noexcept;
// The chosen heads and queries have something in this block.
bool is_chosen(const Plan& plan, const Block& block) noexcept;

// Sums over heads and over queries that live in the worker while a unit runs.
void clear_sums(const Plan& plan, Worker& worker, const AttendUnit& unit) noexcept;
void add_to_sums(const Plan& plan, Worker& worker, const AttendUnit& unit, const Block& block,
                 const kernels::Rows& rows) noexcept;
void start_average(const Plan& plan, Worker& worker, const Block& block) noexcept;
void store_average(const Plan& plan, Worker& worker, const Block& block) noexcept;
void store_column_sums(const Plan& plan, Worker& worker, const AttendUnit& unit) noexcept;

// top_weights.cpp
void store_top(const Plan& plan, Worker& worker, const Block& block, const kernels::Rows& rows) noexcept;

}  // namespace headwise::runtime
