// Where queries stand among keys, and what the rotary embedding is told.
#include <algorithm>
#include <cmath>

#include "choose.hpp"
#include "facts.hpp"

namespace differential {

using namespace headwise;

namespace {

// From in front of the keys to past their end.
std::int64_t random_offset(const Call& call, Random& random) {
  return random.below(call.keys + call.queries + 6) - call.queries - 2;
}

bool all_square(const Call& call) {
  return std::all_of(call.sequences.begin(), call.sequences.end(),
                     [](const Sequence& s) { return s.queries == s.keys; }) &&
         call.queries == call.keys;
}

void choose_alignment(const Layer&, Call& call, Random& random) {
  AttentionInputs& in = call.inputs;
  const bool keyless = !in.key.given;  // what the queries of such a call go by must be said
  const bool may_omit = !keyless && (in.cache != nullptr || all_square(call) || !in.causal);
  if (may_omit && random.chance(0.4)) return;
  if (random.chance(0.4)) {
    in.query_offsets = new_integers(call, {call.batch}, random, [&] { return random_offset(call, random); });
  } else {
    in.causal_alignment = pick(random, {CausalAlignment::upper_left, CausalAlignment::lower_right});
  }
}

void choose_window(const Layer&, Call& call, Random& random) {
  if (!random.chance(0.2)) return;
  const auto side = [&] { return random.chance(0.3) ? -1 : random.below(random.chance(0.3) ? call.keys + 3 : 8); };
  call.inputs.window = {side(), side()};
}

std::int64_t largest_position(const Call& call, const std::vector<Sequence>& sequences, const TensorView& ids) {
  std::int64_t most = 0;
  if (ids.given)
    for_each_element(ids,
                     [&](void* at, const std::int64_t*) { most = std::max(most, std::int64_t(load(at, ids.dtype))); });
  for (std::int64_t b = 0; b < call.batch; ++b) {
    const Sequence& s = sequences[std::size_t(b)];
    most = std::max(most, s.cached + s.new_keys);
    if (call.inputs.query.given) most = std::max(most, query_position(call, b, call.queries));
  }
  return most;
}

bool any_negative_position(const Call& call) {
  for (std::int64_t b = 0; b < call.batch; ++b) {
    if (query_position(call, b, 0) < 0) return true;
  }
  return false;
}

void choose_angles(const Layer& layer, Call& call, AttentionInputs& inputs, std::int64_t positions, Random& random) {
  const Dims shape{positions, layer.config.rotary.dim / 2};
  const MutableTensorView cos = new_numbers(call, DType::f32, shape, random);
  const MutableTensorView sin = new_numbers(call, DType::f32, shape, random);
  inputs.rotary_cos = cos;
  inputs.rotary_sin = sin;
  call.tags.push_back("given angles");
}

Dims id_shape(const Call& call, std::int64_t rows, std::int64_t length, Random& random) {
  if (call.ragged) return {rows};
  return random.chance(0.3) ? Dims{length} : Dims{call.batch, length};
}

TensorView new_ids(Call& call, const Dims& shape, Random& random) {
  const std::int64_t most = pick<std::int64_t>(random, {20, 300, 5000});
  return new_integers(call, shape, random, [&] { return random.below(most); });
}

}  // namespace

void choose_rotary(const Layer& layer, Call& call, AttentionInputs& inputs, const std::vector<Sequence>& sequences,
                   bool queries, Random& random) {
  if (layer.config.rotary.dim == 0) return;
  const Sequence& rows = sequences.back();
  const std::int64_t new_keys = inputs.key.given ? inputs.key.shape[inputs.key.shape.rank() - 2] : 0;
  if (queries && random.chance(0.3)) {
    inputs.position_ids = new_ids(call, id_shape(call, rows.query_row, call.queries, random), random);
  }
  if (inputs.key.given && random.chance(0.3)) {
    inputs.key_position_ids = new_ids(call, id_shape(call, rows.key_row, new_keys, random), random);
  }
  const bool looked_up = !queries || inputs.position_ids.given || !any_negative_position(call);
  if (!looked_up || !random.chance(0.3)) return;
  const std::int64_t most = std::max(largest_position(call, sequences, inputs.position_ids),
                                     largest_position(call, sequences, inputs.key_position_ids));
  choose_angles(layer, call, inputs, most + 1 + random.below(3), random);
}

void choose_positions(const Layer& layer, Call& call, Random& random) {
  call.inputs.causal = random.chance(0.35);
  choose_alignment(layer, call, random);
  choose_window(layer, call, random);
  choose_rotary(layer, call, call.inputs, call.sequences, true, random);
}

}  // namespace differential
