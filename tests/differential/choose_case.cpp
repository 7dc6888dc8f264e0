// A whole case: what kind of call it is, how long its sequences are, and what must be refused.
#include <algorithm>

#include "choose.hpp"

namespace differential {

using namespace headwise;

namespace {

std::int64_t length(Random& random, std::int64_t most) {
  return random.chance(0.07) ? 0 : 1 + random.below(most);
}

// Several blocks of keys now and then; many keys for few queries, too.
void choose_lengths(Call& call, Random& random) {
  call.batch = random.chance(0.07) ? 0 : 1 + random.below(4);
  call.queries = length(random, 40);
  call.new_keys = random.chance(0.4) ? call.queries : length(random, 40);
  if (random.chance(0.1)) {
    call.new_keys = 100 + random.below(161);
    call.queries = 1 + random.below(random.chance(0.2) ? 100 : 12);
    call.batch = 1 + random.below(2);
  } else if (random.chance(0.03)) {
    call.new_keys = 1200;
    call.queries = 1 + random.below(3);
    call.batch = 1;
  } else if (random.chance(0.03)) {  // worth more than one thread
    call.new_keys = call.queries = 100 + random.below(50);
    call.batch = 2 + random.below(2);
  }
}

void lay_padded(Call& call) {
  call.keys = call.new_keys;
  for (std::int64_t b = 0; b <= call.batch; ++b) {
    call.sequences.push_back({call.queries, call.new_keys, call.new_keys, b * call.queries, b * call.new_keys, 0, 0});
  }
}

MutableTensorView new_starts(Call& call, std::int64_t Sequence::*row, Random& random) {
  const MutableTensorView view =
      new_tensor(call, pick(random, {DType::i32, DType::i64}), {call.batch + 1}, random, false);
  for_each_element(view, [&](void* at, const std::int64_t* index) {
    store(at, view.dtype, double(call.sequences[std::size_t(index[0])].*row));
  });
  return view;
}

void lay_ragged(Call& call, Random& random) {
  const std::int64_t most_queries = std::max<std::int64_t>(call.queries, 1), most_keys = call.new_keys;
  const bool square = random.chance(0.5);
  Sequence next;
  call.queries = call.new_keys = 0;
  for (std::int64_t b = 0; b <= call.batch; ++b) {
    next.queries = b == call.batch ? 0 : random.below(most_queries + 1);
    next.keys = next.new_keys = b == call.batch ? 0 : square ? next.queries : random.below(most_keys + 1);
    call.sequences.push_back(next);
    call.queries = std::max(call.queries, next.queries);
    call.new_keys = std::max(call.new_keys, next.new_keys);
    next.query_row += next.queries;
    next.key_row += next.new_keys;
  }
  call.keys = call.new_keys;
  call.ragged = true;
  call.inputs.cumulative_query_lengths = new_starts(call, &Sequence::query_row, random);
  call.inputs.cumulative_key_lengths =
      square ? call.inputs.cumulative_query_lengths : new_starts(call, &Sequence::key_row, random);
}

void choose_options(Call& call, Random& random) {
  call.options = {1 + int(random.below(3)), Schedule(random.below(3))};
}

}  // namespace

void choose_plain_call(Case& one, Random& random) {
  Call& call = one.calls.emplace_back();
  choose_lengths(call, random);
  random.chance(0.2) ? lay_ragged(call, random) : lay_padded(call);
  choose_inputs(one.layer, call, choose_dtype(one.layer, random), random);
  finish_call(one.layer, call, random);
  const bool one_input = one.layer.projected && call.inputs.query.data == call.inputs.key.data;
  one.layer.options.self_attention_only = one_input && random.chance(0.2);
  poison(one.layer, call, random);
  if (random.chance(0.04)) choose_refusal(one.layer, call, random);
}

void finish_call(const Layer& layer, Call& call, Random& random) {
  choose_masks(layer, call, random);
  choose_positions(layer, call, random);
  choose_heads(layer, call, random);
  choose_outputs(layer, call, random);
  choose_options(call, random);
}

Case make_case(std::uint64_t seed, std::int64_t number) {
  Random random(seed * 1000003U + static_cast<std::uint64_t>(number));
  Case one;
  one.seed = seed;
  one.number = number;
  choose_layer(one.layer, random);
  random.chance(0.2) ? choose_cached_calls(one, random) : choose_plain_call(one, random);
  return one;
}

}  // namespace differential
