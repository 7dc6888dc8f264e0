// Calls that the header says are refused, and the word that the error must name.
#include "choose.hpp"

namespace differential {

using namespace headwise;

namespace {

bool forget_alignment(const Layer&, Call& call) {
  if (call.queries == call.keys || call.ragged || call.batch == 0) return false;
  call.inputs.query_offsets = {};
  call.inputs.causal = true;
  call.inputs.causal_alignment = CausalAlignment::unspecified;
  call.refusal = "alignment";
  return true;
}

bool forget_meaning(const Layer&, Call& call) {
  const TensorView& mask = call.inputs.attention_mask;
  if (!mask.given || is_float(mask.dtype)) return false;
  call.inputs.attention_mask_meaning = BooleanMask::unspecified;
  call.refusal = "attention_mask";
  return true;
}

bool forget_padding_meaning(const Layer&, Call& call) {
  const TensorView& mask = call.inputs.key_padding_mask;
  if (!mask.given || is_float(mask.dtype)) return false;
  call.inputs.key_padding_meaning = BooleanMask::unspecified;
  call.refusal = "key_padding_mask";
  return true;
}

bool forget_output(const Layer&, Call& call) {
  call.outputs.output = {};
  call.refusal = "output";
  return true;
}

bool give_another_type(const Layer&, Call& call) {
  TensorView& key = call.inputs.key;
  if (!key.given || call.inputs.query.dtype == DType::f64) return false;
  key.dtype = key.dtype == DType::f16 ? DType::bf16 : DType::f16;  // the memory is large enough
  call.refusal = "key";
  return true;
}

bool place_past_the_end(const Layer&, Call& call) {
  const TensorView& lengths = call.inputs.key_lengths;
  if (!lengths.given || lengths.shape[0] == 0) return false;
  const std::int64_t first[] = {0};
  store(address(lengths, first), lengths.dtype, double(call.keys + 1));
  call.refusal = "key_lengths";
  return true;
}

bool widen_window(const Layer&, Call& call) {
  call.inputs.window.left = -2;
  call.refusal = "window";
  return true;
}

bool place_queries_twice(const Layer&, Call& call) {
  if (!call.inputs.query_offsets.given) return false;
  call.inputs.causal_alignment = CausalAlignment::upper_left;
  call.refusal = "query_offsets";
  return true;
}

bool list_a_head_too_many(const Layer& layer, Call& call) {
  const TensorView& heads = call.inputs.heads;
  if (!heads.given) return false;
  const std::int64_t first[] = {0};
  store(address(heads, first), heads.dtype, double(layer.config.num_heads));
  call.refusal = "heads";
  return true;
}

bool widen_mask(const Layer&, Call& call) {
  TensorView& mask = call.inputs.attention_mask;
  const int last = mask.shape.rank() - 1;
  if (last < 1 || mask.shape[last - 1] == 1 || call.queries == 2) return false;
  mask.shape[last - 1] = 2;  // neither 1 nor Lq
  mask.strides[last - 1] = 0;
  call.refusal = "attention_mask";
  return true;
}

bool ask_for_contribution(const Layer& layer, Call& call) {
  if (layer.options.head_contribution || call.outputs.head_contribution.given) return false;
  StridedTensor& memory = call.result_memory.emplace_back();
  const Dims shape{call.batch, layer.config.num_heads, call.queries, layer.config.output_dim};
  Random random(1);
  memory = StridedTensor(DType::f32, shape, {}, random);
  call.outputs.head_contribution = memory.view();
  call.refusal = "head_contribution";
  return true;
}

}  // namespace

void choose_refusal(const Layer& layer, Call& call, Random& random) {
  bool (*const spoil[])(const Layer&, Call&) = {
      forget_alignment,   forget_meaning, forget_padding_meaning, forget_output,       give_another_type,
      place_past_the_end, widen_window,   ask_for_contribution,   place_queries_twice, list_a_head_too_many,
      widen_mask};
  const std::int64_t first = random.below(std::size(spoil));
  for (std::int64_t i = 0; i < std::ssize(spoil); ++i) {
    if (spoil[(first + i) % std::ssize(spoil)](layer, call)) return;
  }
}

}  // namespace differential
