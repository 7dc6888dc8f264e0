#include "facts.hpp"

#include <algorithm>

namespace differential {

using namespace headwise;

namespace {

double meaning_of(const void* at, DType dtype, BooleanMask meaning) {
  const double value = load(at, dtype);
  if (is_float(dtype)) return value;
  return (value != 0) == (meaning == BooleanMask::keep) ? 0 : dead;
}

bool outside_lengths(const Call& call, const Place& p) {
  return p.query >= live_queries(call, p.batch) || p.key >= live_keys(call, p.batch);
}

bool outside_window(const Call& call, const Place& p) {
  const std::int64_t distance = key_position(call, p.batch, p.key) - query_position(call, p.batch, p.query);
  const AttentionWindow& window = call.inputs.window;
  if (call.inputs.causal && distance > 0) return true;
  return (window.left >= 0 && distance < -window.left) || (window.right >= 0 && distance > window.right);
}

bool other_document(const Call& call, const Place& p) {
  const AttentionInputs& in = call.inputs;
  if (!in.query_documents.given) return false;
  return id_at(in.query_documents, p.batch, p.query) != id_at(in.key_documents, p.batch, p.key);
}

double padding_bias(const Call& call, const Place& p) {
  const TensorView& mask = call.inputs.key_padding_mask;
  if (!mask.given) return 0;
  const std::int64_t index[] = {p.batch, p.key};
  return meaning_of(address(mask, index + 2 - mask.shape.rank()), mask.dtype, call.inputs.key_padding_meaning);
}

std::int64_t aligned_offset(const Call& call, std::int64_t b) {
  const Sequence& s = sequence(call, b);
  if (call.inputs.causal_alignment == CausalAlignment::upper_left) return 0;
  if (call.inputs.causal_alignment == CausalAlignment::lower_right) {
    return s.first_position + live_keys(call, b) - live_queries(call, b);
  }
  return s.cached;
}

}  // namespace

const Sequence& sequence(const Call& call, std::int64_t b) {
  return call.sequences[static_cast<std::size_t>(b)];
}

std::int64_t live_queries(const Call& call, std::int64_t b) {
  return call.inputs.query_lengths.given ? integer_at(call.inputs.query_lengths, {b}) : sequence(call, b).queries;
}

std::int64_t live_keys(const Call& call, std::int64_t b) {
  const std::int64_t own = sequence(call, b).keys;
  return call.inputs.key_lengths.given ? std::min(own, integer_at(call.inputs.key_lengths, {b})) : own;
}

std::int64_t query_position(const Call& call, std::int64_t b, std::int64_t i) {
  const TensorView& offsets = call.inputs.query_offsets;
  return i + (offsets.given ? integer_at(offsets, {b}) : aligned_offset(call, b));
}

std::int64_t key_position(const Call& call, std::int64_t b, std::int64_t j) {
  return j + sequence(call, b).first_position;
}

std::int64_t id_at(const TensorView& ids, std::int64_t b, std::int64_t i) {
  return ids.shape.rank() == 1 ? integer_at(ids, {i}) : integer_at(ids, {b, i});
}

void* mask_address(const Call& call, const Place& p) {
  const TensorView& mask = call.inputs.attention_mask;
  const std::int64_t full[] = {p.batch, p.head, p.query, p.key};
  std::int64_t index[max_rank] = {};
  const int rank = mask.shape.rank();
  for (int axis = 0; axis < rank; ++axis) {
    index[axis] = mask.shape[axis] == 1 ? 0 : full[4 - rank + axis];
    if (index[axis] >= mask.shape[axis]) return nullptr;
  }
  return address(mask, index);
}

double bias_of_others(const Call& call, const Place& p) {
  if (outside_lengths(call, p) || outside_window(call, p) || other_document(call, p)) return dead;
  return padding_bias(call, p);
}

// Dead by one wins over NaN in another.
double mask_bias(const Call& call, const Place& p) {
  const double others = bias_of_others(call, p);
  if (others == dead || !call.inputs.attention_mask.given) return others;
  const void* at = mask_address(call, p);
  if (at == nullptr) return dead;
  const double bias = meaning_of(at, call.inputs.attention_mask.dtype, call.inputs.attention_mask_meaning);
  return bias == dead ? dead : bias + others;
}

}  // namespace differential
