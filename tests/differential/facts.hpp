// What a call says about one place, read from its tensors: positions, lengths, masks. −inf: dead.
#pragma once

#include "call.hpp"
#include "elements.hpp"
#include "number.hpp"

namespace differential {

struct Place {
  std::int64_t batch, head, query, key;
};

const Sequence& sequence(const Call& call, std::int64_t b);
// Queries and keys that lengths leave.
std::int64_t live_queries(const Call& call, std::int64_t b);
std::int64_t live_keys(const Call& call, std::int64_t b);
std::int64_t query_position(const Call& call, std::int64_t b, std::int64_t i);
std::int64_t key_position(const Call& call, std::int64_t b, std::int64_t j);

// An element of [B, n], [n] or, in a ragged batch with ids by row, [rows].
std::int64_t id_at(const TensorView& ids, std::int64_t b, std::int64_t i);

// Everything but attention_mask; and everything. The bias of a live key or −inf.
double bias_of_others(const Call& call, const Place& place);
double mask_bias(const Call& call, const Place& place);
// Where the element of attention_mask lies, nullptr past a short last axis.
void* mask_address(const Call& call, const Place& place);

}  // namespace differential
