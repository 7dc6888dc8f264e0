// Which keys a query of a call sees, and where both stand, one pair at a time.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <vector>

#include "call_shape.hpp"

namespace headwise::tools {

class CallMask {
 public:
  // `call` is not ragged.
  CallMask(const AttentionInputs& inputs, const CallShape& call);

  // What is added to the score of query i and key j of a head, nothing where the key is dead.
  std::optional<double> bias(std::int64_t b, std::int64_t head, std::int64_t i, std::int64_t j) const;
  std::int64_t query_position(std::int64_t b, std::int64_t i) const {
    return i + offsets_[static_cast<std::size_t>(b)];
  }
  // Positions of the rotary embedding, [B, L].
  std::vector<std::int64_t> query_positions() const;
  std::vector<std::int64_t> key_positions() const;
  std::int64_t query_end(std::int64_t b) const {
    return query_lengths_.given() ? at(query_lengths_, b) : call_.query_length;
  }

 private:
  std::int64_t at(const Tensor& ids, std::int64_t index) const { return ids.data<std::int64_t>()[index]; }
  std::int64_t key_end(std::int64_t b) const { return key_lengths_.given() ? at(key_lengths_, b) : call_.key_length; }
  std::vector<std::int64_t> listed(const Tensor& ids, std::int64_t length) const;
  bool sees(std::int64_t b, std::int64_t i, std::int64_t j) const;
  std::optional<double> mask_bias(const TensorView& mask, BooleanMask meaning, const Dims& index) const;

  const AttentionInputs& inputs_;
  CallShape call_;
  Tensor key_lengths_, query_lengths_, query_documents_, key_documents_, position_ids_, key_position_ids_;
  std::vector<std::int64_t> offsets_;  // [B]
};

}  // namespace headwise::tools
