// Random choices, one function an option. To add an option: a function here, its meaning in float64_*.cpp.
#pragma once

#include <initializer_list>

#include "call.hpp"
#include "elements.hpp"
#include "random.hpp"

namespace differential {

using headwise::Dims;
using headwise::DType;

template <class T>
T pick(Random& random, std::initializer_list<T> values) {
  return values.begin()[random.below(static_cast<std::int64_t>(values.size()))];
}
inline double between(Random& random, double low, double high) {
  return low + (high - low) * double(random.uniform(0, 1));
}

// A tensor of the call, laid out at random; NaN (or −1) stands in it and between its elements.
MutableTensorView new_tensor(Call& call, DType dtype, const Dims& shape, Random& random, bool may_share = true);
MutableTensorView new_numbers(Call& call, DType dtype, const Dims& shape, Random& random, double limit = 1);
// i32 or i64, drawn by next().
template <class Next>
MutableTensorView new_integers(Call& call, const Dims& shape, Random& random, const Next& next) {
  const MutableTensorView view = new_tensor(call, pick(random, {DType::i32, DType::i64}), shape, random);
  for_each_element(view, [&](void* at, const std::int64_t*) { store(at, view.dtype, double(next())); });
  return view;
}

void choose_layer(Layer& layer, Random& random);
DType choose_dtype(const Layer& layer, Random& random);
// Query, key and value of sizes that are known.
void choose_inputs(const Layer& layer, Call& call, DType dtype, Random& random);
void choose_keys(const Layer& layer, Call& call, AttentionInputs& inputs, DType dtype, const Dims& rows,
                 Random& random);
void choose_masks(const Layer& layer, Call& call, Random& random);
void choose_positions(const Layer& layer, Call& call, Random& random);
void choose_rotary(const Layer& layer, Call& call, AttentionInputs& inputs, const std::vector<Sequence>& sequences,
                   bool queries, Random& random);
void choose_heads(const Layer& layer, Call& call, Random& random);
void choose_outputs(const Layer& layer, Call& call, Random& random);
// Masks, positions, gates, outputs and options of a call whose inputs are there.
void finish_call(const Layer& layer, Call& call, Random& random);
// Turns a right call into one that must be refused.
void choose_refusal(const Layer& layer, Call& call, Random& random);
// One more call without a cache.
void choose_plain_call(Case& one, Random& random);
// A cache and calls that fill it.
void choose_cached_calls(Case& one, Random& random);
// NaN and infinity go where nobody may look.
void poison(const Layer& layer, Call& call, Random& random);

}  // namespace differential
