// Query, key and value: types, layouts, tensors that are one and the same.
#include <bit>

#include "choose.hpp"

namespace differential {

namespace {

// [B, L, width] with projections, [B, H, L, width] without. rows is {B, L}.
Dims input_shape(const Layer& layer, const Dims& rows, std::int64_t heads, std::int64_t width) {
  return layer.projected ? Dims{rows[0], rows[1], width} : Dims{rows[0], heads, rows[1], width};
}

TensorView without_batch(const TensorView& view) {
  return TensorView(view.data, view.dtype, Dims(view.shape.begin() + 1, 2), Dims(view.strides.begin() + 1, 2));
}

bool one_width(const AttentionConfig& c) {
  return c.model_dim == c.key_input_dim && c.model_dim == c.value_input_dim;
}

Dims query_rows(const Call& call) {
  return call.ragged ? Dims{1, call.sequences.back().query_row} : Dims{call.batch, call.queries};
}

Dims key_rows(const Call& call) {
  return call.ragged ? Dims{1, call.sequences.back().key_row} : Dims{call.batch, call.new_keys};
}

void drop_batch(Call& call) {
  for (TensorView* view : {&call.inputs.query, &call.inputs.key, &call.inputs.value}) {
    if (view->given) *view = without_batch(*view);
  }
  call.unbatched = true;
}

void choose_one_for_all(Call& call, Random& random) {
  call.inputs.key = call.inputs.value = call.inputs.query;
  call.tags.push_back("one input");
  const bool needed = call.ragged && random.chance(0.5);
  if (needed) call.inputs.cumulative_key_lengths = {};
}

}  // namespace

MutableTensorView new_tensor(Call& call, DType dtype, const Dims& shape, Random& random, bool may_share) {
  StridedTensor& tensor = call.memory.emplace_back(dtype, shape, random_layout(random, may_share), random);
  tensor.fill_marks(std::bit_cast<float>(~0U));  // a NaN in every floating type
  return tensor.view();
}

MutableTensorView new_numbers(Call& call, DType dtype, const Dims& shape, Random& random, double limit) {
  const MutableTensorView view = new_tensor(call, dtype, shape, random);
  for_each_element(view, [&](void* at, const std::int64_t*) { store(at, dtype, between(random, -limit, limit)); });
  return view;
}

DType choose_dtype(const Layer& layer, Random& random) {
  if (!layer.projected && random.chance(0.08)) return DType::f64;
  return random.chance(0.7) ? DType::f32 : pick(random, {DType::f16, DType::bf16});
}

void choose_keys(const Layer& layer, Call& call, AttentionInputs& inputs, DType dtype, const Dims& rows,
                 Random& random) {
  const AttentionConfig& c = layer.config;
  const std::int64_t key = layer.projected ? c.key_input_dim : c.head_dim;
  const std::int64_t value = layer.projected ? c.value_input_dim : c.value_dim;
  inputs.key = new_numbers(call, dtype, input_shape(layer, rows, c.num_kv_heads, key), random);
  if (key == value && random.chance(0.15)) {
    inputs.value = inputs.key;
  } else {
    inputs.value = new_numbers(call, dtype, input_shape(layer, rows, c.num_kv_heads, value), random);
  }
}

void choose_inputs(const Layer& layer, Call& call, DType dtype, Random& random) {
  const AttentionConfig& c = layer.config;
  const std::int64_t width = layer.projected ? c.model_dim : c.head_dim;
  const Dims rows = query_rows(call);
  call.inputs.query = new_numbers(call, dtype, input_shape(layer, rows, c.num_heads, width), random);
  const bool same_rows = rows == key_rows(call) && (!call.ragged || call.inputs.cumulative_key_lengths.data ==
                                                                        call.inputs.cumulative_query_lengths.data);
  if (layer.projected && one_width(c) && same_rows && random.chance(0.6)) {
    choose_one_for_all(call, random);
  } else {
    choose_keys(layer, call, call.inputs, dtype, key_rows(call), random);
  }
  const bool may_drop = layer.projected && rows[0] == 1 && (call.ragged || call.batch == 1);
  if (may_drop && (call.ragged || random.chance(0.3))) drop_batch(call);
}

}  // namespace differential
