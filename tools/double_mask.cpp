#include "double_mask.hpp"

#include <cmath>
#include <limits>

namespace headwise::tools {
namespace {

Tensor numbers(const TensorView& view) {
  return view.given ? convert(view, DType::i64) : Tensor();
}

// [B, L] or [L]
std::int64_t id_of(const Tensor& ids, std::int64_t b, std::int64_t i) {
  const std::int64_t length = ids.shape()[ids.shape().rank() - 1];
  const std::int64_t row = ids.shape().rank() == 1 || ids.shape()[0] == 1 ? 0 : b;
  return ids.data<std::int64_t>()[row * length + i];
}

}  // namespace

CallMask::CallMask(const AttentionInputs& inputs, const CallShape& call)
    : inputs_(inputs),
      call_(call),
      key_lengths_(numbers(inputs.key_lengths)),
      query_lengths_(numbers(inputs.query_lengths)),
      query_documents_(numbers(inputs.query_documents)),
      key_documents_(numbers(inputs.key_documents.given ? inputs.key_documents : inputs.query_documents)),
      position_ids_(numbers(inputs.position_ids)),
      key_position_ids_(numbers(inputs.key_position_ids)) {
  const Tensor given = numbers(inputs.query_offsets);
  const bool last = inputs.causal_alignment == CausalAlignment::lower_right;
  for (std::int64_t b = 0; b < call.batch; ++b) {
    offsets_.push_back(given.given() ? at(given, b) : last ? key_end(b) - query_end(b) : 0);
  }
  const bool shared = position_ids_.given() && !key_position_ids_.given() && call.query_length == call.key_length;
  if (shared) key_position_ids_ = position_ids_;
}

std::vector<std::int64_t> CallMask::listed(const Tensor& ids, std::int64_t length) const {
  std::vector<std::int64_t> positions;
  for (std::int64_t row = 0; row < call_.batch * length; ++row) {
    positions.push_back(ids.given() ? id_of(ids, row / length, row % length) : row % length);
  }
  return positions;
}

std::vector<std::int64_t> CallMask::query_positions() const {
  std::vector<std::int64_t> positions = listed(position_ids_, call_.query_length);
  for (std::size_t row = 0; row < positions.size() && !position_ids_.given(); ++row) {
    positions[row] += offsets_[row / static_cast<std::size_t>(call_.query_length)];
  }
  return positions;
}

std::vector<std::int64_t> CallMask::key_positions() const {
  return listed(key_position_ids_, call_.key_length);
}

bool CallMask::sees(std::int64_t b, std::int64_t i, std::int64_t j) const {
  const AttentionWindow& window = inputs_.window;
  const std::int64_t ahead = j - query_position(b, i);
  if (j >= key_end(b) || (inputs_.causal && ahead > 0)) return false;
  if ((window.left >= 0 && ahead < -window.left) || (window.right >= 0 && ahead > window.right)) return false;
  return !query_documents_.given() || id_of(query_documents_, b, i) == id_of(key_documents_, b, j);
}

// The mask is contiguous; its axes stand for the last ones of `index` and are broadcast where they are 1.
std::optional<double> CallMask::mask_bias(const TensorView& mask, BooleanMask meaning, const Dims& index) const {
  if (!mask.given) return 0.0;
  std::int64_t offset = 0;
  const int rank = mask.shape.rank();
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t at = index[index.rank() - rank + axis], size = mask.shape[axis];
    if (axis == rank - 1 && size > 1 && at >= size) return std::nullopt;  // too short: dead
    offset = offset * size + (size == 1 ? 0 : at);
  }
  if (mask.dtype == DType::boolean) {
    const bool set = static_cast<const bool*>(mask.data)[offset];
    return set == (meaning == BooleanMask::keep) ? std::optional(0.0) : std::nullopt;
  }
  const double bias = static_cast<double>(static_cast<const float*>(mask.data)[offset]);
  return std::isinf(bias) && bias < 0 ? std::nullopt : std::optional(bias);
}

std::optional<double> CallMask::bias(std::int64_t b, std::int64_t head, std::int64_t i, std::int64_t j) const {
  if (!sees(b, i, j)) return std::nullopt;
  const auto mask = mask_bias(inputs_.attention_mask, inputs_.attention_mask_meaning, {b, head, i, j});
  const auto padding = mask_bias(inputs_.key_padding_mask, inputs_.key_padding_meaning, {b, j});
  if (!mask || !padding) return std::nullopt;
  return *mask + *padding;
}

}  // namespace headwise::tools
