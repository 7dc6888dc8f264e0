// Gates, chosen heads, and everything that can be asked for.
#include <algorithm>
#include <numeric>

#include "choose.hpp"

namespace differential {

using namespace headwise;

namespace {

// Some of 0 … size − 1 in any order; none only when there are none.
TensorView new_selection(Call& call, std::int64_t size, Random& random) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t i = size - 1; i > 0; --i) std::swap(all[std::size_t(i)], all[std::size_t(random.below(i + 1))]);
  std::size_t next = 0;
  const std::int64_t count = size > 0 ? 1 + random.below(size) : 0;
  const MutableTensorView view = new_tensor(call, pick(random, {DType::i32, DType::i64}), {count}, random, false);
  for_each_element(view, [&](void* at, const std::int64_t*) { store(at, view.dtype, double(all[next++])); });
  return view;
}

MutableTensorView new_result(Call& call, DType dtype, const Dims& shape, Random& random) {
  return call.result_memory.emplace_back(dtype, shape, random_layout(random, false), random).view();
}

// What the shapes of outputs are made of.
struct Shapes {
  std::int64_t batch, heads, queries, keys;  // keys: the extra ones too
  DType dtype;                               // of the query
  DType choose(Random& random) const {
    if (dtype == DType::f64 || random.chance(0.4)) return dtype;
    return random.chance(0.7) ? DType::f32 : pick(random, {DType::f16, DType::bf16});
  }
};

Dims output_shape(const Layer& layer, const Call& call) {
  const std::int64_t rows = call.ragged ? call.sequences.back().query_row : call.queries;
  const std::int64_t batch = call.ragged ? 1 : call.batch, width = layer.config.output_dim;
  if (!layer.projected) return {batch, layer.config.num_heads, rows, layer.config.value_dim};
  return call.unbatched ? Dims{rows, width} : Dims{batch, rows, width};
}

void choose_weights(Call& call, const Shapes& s, Random& random) {
  AttentionOutputs& out = call.outputs;
  const bool attention = random.chance(0.4), scores = random.chance(0.3);
  if (!attention && !scores) return;
  if (random.chance(0.2)) out.attention_heads = new_selection(call, s.heads, random);
  if (random.chance(0.2)) out.attention_queries = new_selection(call, s.queries, random);
  const std::int64_t heads = out.attention_heads.given ? out.attention_heads.shape[0] : s.heads;
  const std::int64_t queries = out.attention_queries.given ? out.attention_queries.shape[0] : s.queries;
  const Dims shape{s.batch, heads, queries, s.keys};
  if (attention) out.attention = new_result(call, s.choose(random), shape, random);
  if (!scores) return;
  out.scores = new_result(call, s.choose(random), shape, random);
  out.score_stage = pick(random, {ScoreStage::scaled, ScoreStage::capped, ScoreStage::masked});
}

void choose_top(Call& call, const Shapes& s, Random& random) {
  if (!random.chance(0.2) || s.keys == 0) return;
  const std::int64_t count = 1 + random.below(std::min<std::int64_t>(s.keys, random.chance(0.8) ? 6 : s.keys));
  const Dims shape{s.batch, s.heads, s.queries, count};
  if (random.chance(0.9)) call.outputs.top_weights = new_result(call, s.choose(random), shape, random);
  if (call.outputs.top_weights.given && random.chance(0.1)) return;
  call.outputs.top_keys = new_result(call, pick(random, {DType::i32, DType::i64}), shape, random);
}

void choose_sums(Call& call, const Shapes& s, Random& random) {
  AttentionOutputs& out = call.outputs;
  if (random.chance(0.2))
    out.average_attention = new_result(call, s.choose(random), {s.batch, s.queries, s.keys}, random);
  if (random.chance(0.2)) out.column_sums = new_result(call, s.choose(random), {s.batch, s.heads, s.keys}, random);
  if (!random.chance(0.25)) return;
  out.log_sum_exp = new_result(call, pick(random, {DType::f32, DType::f64}), {s.batch, s.heads, s.queries}, random);
}

void choose_contexts(const Layer& layer, Call& call, const Shapes& s, Random& random) {
  const Dims context{s.batch, s.heads, s.queries, layer.config.value_dim};
  const Dims contribution{s.batch, s.heads, s.queries, layer.config.output_dim};
  if (random.chance(0.15)) call.outputs.head_context = new_result(call, s.choose(random), context, random);
  if (!layer.options.head_contribution || !random.chance(0.5)) return;
  call.outputs.head_contribution = new_result(call, s.choose(random), contribution, random);
}

// Every output of an unbatched call may lack the batch, as its query does.
void drop_batch(AttentionOutputs& outputs) {
  for (const OutputName& name : output_names) {
    MutableTensorView& view = outputs.*name.view;
    if (!view.given || name.view == &AttentionOutputs::output) continue;
    const auto rank = std::size_t(view.shape.rank() - 1);
    view = MutableTensorView(view.data, view.dtype, Dims(view.shape.begin() + 1, rank),
                             Dims(view.strides.begin() + 1, rank));
  }
}

}  // namespace

void choose_heads(const Layer& layer, Call& call, Random& random) {
  const std::int64_t heads = layer.config.num_heads;
  if (random.chance(0.1)) call.inputs.heads = new_selection(call, heads, random);
  if (!random.chance(0.15)) return;
  const MutableTensorView gate =
      new_tensor(call, DType::f32, random.chance(0.5) ? Dims{heads} : Dims{call.batch, heads}, random);
  for_each_element(gate, [&](void* at, const std::int64_t*) {
    store(at, DType::f32, random.chance(0.25) ? pick(random, {0.0, 0.0, 1.0}) : between(random, -2, 2));
  });
  call.inputs.head_gate = gate;
}

void choose_outputs(const Layer& layer, Call& call, Random& random) {
  const Shapes shapes{call.batch, layer.config.num_heads, call.queries, call.keys + layer.extra_keys(),
                      call.inputs.query.dtype};
  call.outputs.output = new_result(call, shapes.choose(random), output_shape(layer, call), random);
  choose_weights(call, shapes, random);
  choose_top(call, shapes, random);
  choose_sums(call, shapes, random);
  choose_contexts(layer, call, shapes, random);
  if (call.unbatched && !call.ragged && random.chance(0.5)) drop_batch(call.outputs);
}

}  // namespace differential
