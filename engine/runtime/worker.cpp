#include "worker.hpp"

#include <algorithm>

namespace headwise::runtime {

namespace {

// Multiply-adds of a piece: 1 to 3 ms of one thread.
constexpr std::int64_t piece_work = std::int64_t{1} << 26;

// In how many pieces a part of the columns is multiplied; no bit depends on it.
std::int64_t pieces_of(const projection::Linear& linear, std::int64_t rows, std::int64_t parts) noexcept {
  const double work = double(rows) * double(linear.shape().in) * double(linear.shape().out) / double(parts);
  const auto wanted = static_cast<std::int64_t>(work / double(piece_work)) + 1;
  return std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(linear.max_parts() / parts, 1));
}

}  // namespace

Worker::Worker(std::span<const projection::Linear* const> products) : calls_(products.size()) {
  for (std::size_t p = 0; p < calls_.size(); ++p) {
    if (products[p] != nullptr) calls_[p].emplace(*products[p]);
  }
}

bool Worker::multiply(std::size_t product, const projection::RowBlock& rows, const projection::ColumnPart& part,
                      void* scratch) noexcept {
  projection::LinearCall& call = *calls_[product];
  const std::int64_t pieces = stop == nullptr ? 1 : pieces_of(call.linear(), rows.count, part.parts);
  for (std::int64_t i = 0; i < pieces && !is_stopped(); ++i) {
    if (call.run(rows, {part.index * pieces + i, part.parts * pieces}, scratch)) continue;
    failed = true;
    out_of_memory = call.ran_out_of_memory();
    return false;
  }
  return true;
}

}  // namespace headwise::runtime
