// Masks of every shape, type and structure; lengths; documents.
#include <algorithm>
#include <cstdlib>

#include "choose.hpp"
#include "facts.hpp"

namespace differential {

using namespace headwise;

namespace {

// Which places a structured mask leaves live.
struct Pattern {
  enum class Kind { nothing, everything, scattered, causal, band, blocks, padding };
  Kind kind = Kind::scattered;
  std::int64_t count = 0;
  double live = 0.7;

  bool operator()(std::int64_t i, std::int64_t j, Random& random) const {
    switch (kind) {
      case Kind::nothing:
        return false;
      case Kind::everything:
        return true;
      case Kind::scattered:
        return random.chance(live);
      case Kind::causal:
        return j <= i + count;
      case Kind::band:
        return std::abs(i - j) <= count;
      case Kind::blocks:
        return i / (count + 1) == j / (count + 1);
      default:
        return j >= count;
    }
  }
};

Pattern choose_pattern(std::int64_t keys, Random& random) {
  using Kind = Pattern::Kind;
  const Kind kind = random.chance(0.05)
                        ? pick(random, {Kind::nothing, Kind::everything})
                        : pick(random, {Kind::scattered, Kind::causal, Kind::band, Kind::blocks, Kind::padding});
  return {kind, random.below(keys + 1) / pick<std::int64_t>(random, {1, 4}), pick(random, {0.05, 0.5, 0.7, 0.98})};
}

// What is added to live scores: nothing, a little, a lot, or the most that the type holds.
double live_bias(int strength, DType dtype, Random& random) {
  if (strength == 0) return 0;
  if (strength == 1) return between(random, -2, 2);
  const double far = strength == 2 ? -1e4 : -largest(dtype);
  return random.chance(0.3) ? far : between(random, -1, 1);
}

double mask_element(bool live, BooleanMask meaning, int strength, DType dtype, Random& random) {
  if (is_float(dtype)) return live ? live_bias(strength, dtype, random) : dead;
  const bool set = live == (meaning == BooleanMask::keep);
  return !set ? 0 : dtype == DType::u8 ? pick(random, {1.0, 2.0, 255.0}) : 1;
}

DType mask_dtype(const Call& call, Random& random) {
  if (call.inputs.query.dtype == DType::f64 && random.chance(0.3)) return DType::f64;
  return pick(random, {DType::boolean, DType::u8, DType::f32, DType::f32, DType::f16, DType::bf16});
}

// strongest: how far live_bias may go.
MutableTensorView new_mask(Call& call, const Dims& shape, BooleanMask meaning, int strongest, Random& random) {
  const MutableTensorView mask = new_tensor(call, mask_dtype(call, random), shape, random);
  const Pattern pattern = choose_pattern(std::max<std::int64_t>(call.keys, 1), random);
  const int strength = int(random.below(random.chance(0.2) ? strongest + 1 : 2)), last = shape.rank() - 1;
  for_each_element(mask, [&](void* at, const std::int64_t* index) {
    const bool live = pattern(last > 0 ? index[last - 1] : 0, index[last], random);
    store(at, mask.dtype, mask_element(live, meaning, strength, mask.dtype, random));
  });
  return mask;
}

// One to four axes, size 1 here and there, the last one sometimes short.
Dims mask_shape(const Layer& layer, const Call& call, Random& random) {
  const std::int64_t full[] = {call.batch, layer.config.num_heads, call.queries, call.keys};
  const auto rank = std::size_t(1 + random.below(4));
  Dims shape(full + 4 - rank, rank);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (random.chance(0.25)) shape[axis] = 1;
  }
  std::int64_t& last = shape[shape.rank() - 1];
  if (last > 2 && random.chance(0.1)) last -= 1 + random.below(last - 2);
  return shape;
}

void choose_attention_mask(const Layer& layer, Call& call, Random& random) {
  if (!random.chance(0.45)) return;
  call.inputs.attention_mask_meaning = pick(random, {BooleanMask::keep, BooleanMask::drop});
  call.inputs.attention_mask =
      new_mask(call, mask_shape(layer, call, random), call.inputs.attention_mask_meaning, 3, random);
}

void choose_key_padding(const Layer&, Call& call, Random& random) {
  if (!random.chance(0.2)) return;
  const Dims shape = random.chance(0.3) ? Dims{call.keys} : Dims{call.batch, call.keys};
  call.inputs.key_padding_meaning = pick(random, {BooleanMask::keep, BooleanMask::drop});
  call.inputs.key_padding_mask = new_mask(call, shape, call.inputs.key_padding_meaning, 2, random);
}

template <class Most>
MutableTensorView new_lengths(Call& call, Random& random, const Most& most) {
  const MutableTensorView view = new_tensor(call, pick(random, {DType::i32, DType::i64}), {call.batch}, random, false);
  for_each_element(view, [&](void* at, const std::int64_t* index) {
    store(at, view.dtype, double(random.below(most(sequence(call, index[0])) + 1)));
  });
  return view;
}

void choose_lengths(const Layer&, Call& call, Random& random) {
  if (random.chance(0.2)) call.inputs.key_lengths = new_lengths(call, random, [](auto& s) { return s.keys; });
  if (call.ragged || !random.chance(0.12)) return;
  call.inputs.query_lengths = new_lengths(call, random, [](auto& s) { return s.queries; });
}

void choose_documents(const Layer&, Call& call, Random& random) {
  if (!random.chance(0.12)) return;
  const std::int64_t count = 1 + random.below(4);
  const bool shared = random.chance(0.3);
  const DType dtype = pick(random, {DType::i32, DType::i64});
  for (const auto& [view, length] :
       {std::pair{&call.inputs.query_documents, call.queries}, std::pair{&call.inputs.key_documents, call.keys}}) {
    const Dims shape = shared ? Dims{length} : Dims{call.batch, length};
    const MutableTensorView ids = new_tensor(call, dtype, shape, random);
    const int last = shape.rank() - 1;
    for_each_element(ids, [&](void* at, const std::int64_t* index) {
      store(at, dtype, double(random.chance(0.1) ? random.below(count) : index[last] * count / length) - 1);
    });
    *view = ids;
  }
}

}  // namespace

void choose_masks(const Layer& layer, Call& call, Random& random) {
  for (const auto choose : {choose_attention_mask, choose_key_padding, choose_lengths, choose_documents}) {
    choose(layer, call, random);
  }
}

}  // namespace differential
