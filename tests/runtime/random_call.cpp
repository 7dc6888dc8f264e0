#include "random_call.hpp"

#include <cmath>

namespace {

using namespace headwise;

constexpr float mark = -777.0F;

std::int64_t pick(Random& random, std::initializer_list<std::int64_t> values) {
  return values.begin()[random.below(static_cast<std::int64_t>(values.size()))];
}

// Mostly small; some have several blocks of keys, some are worth more than one thread.
void choose_sizes(RandomCall& call, Random& random) {
  AttentionConfig& c = call.config;
  const bool large = random.chance(0.06);
  call.batch = large ? 3 : random.below(4);
  c.num_kv_heads = 1 + random.below(3);
  c.num_heads = c.num_kv_heads * pick(random, {1, 1, 2, 3});
  call.queries = large ? 60 + random.below(20) : random.chance(0.1) ? random.below(3) : 1 + random.below(40);
  call.keys = large ? 70 + random.below(60) : random.chance(0.1) ? random.below(3) : 1 + random.below(60);
  if (random.chance(0.1)) {
    call.keys = 180 + random.below(250);
    call.queries = 1 + random.below(12);
  }
  c.head_dim = large ? 64 : 1 + random.below(random.chance(0.1) ? 136 : 24);
  c.value_dim = random.chance(0.5) ? c.head_dim : 1 + random.below(random.chance(0.1) ? 136 : 24);
  if (random.chance(0.3)) c.scale = random.uniform(-1.5F, 1.5F) / std::sqrt(float(c.head_dim));
  c.rows_without_keys = RowsWithoutKeys(random.below(3));
  c = resolve(c);
  call.options = {1 + int(random.below(2)), Schedule(random.below(3))};
}

void make_inputs(RandomCall& call, Random& random) {
  const AttentionConfig& c = call.config;
  call.query = random_floats(random, {call.batch, c.num_heads, call.queries, c.head_dim}, true);
  // One number for all columns of both would make scores grow with d, and their rounding errors too.
  const bool may_share = call.query.view().strides[3] != 0;
  call.key = random_floats(random, {call.batch, c.num_kv_heads, call.keys, c.head_dim}, may_share);
  call.value = random_floats(random, {call.batch, c.num_kv_heads, call.keys, c.value_dim}, true);
  call.inputs.query = call.query.view();
  call.inputs.key = call.key.view();
  call.inputs.value = call.value.view();
}

void fill_mask(StridedTensor& mask, Random& random) {
  const double dead = random.chance(0.1) ? 0.95 : random.chance(0.5) ? 0.3 : 0.02;
  mask.fill_marks(std::numeric_limits<float>::quiet_NaN());
  if (mask.view().dtype == DType::f32) {
    mask.for_each<float>(
        [&](float& x) { x = random.chance(dead) ? -std::numeric_limits<float>::infinity() : random.uniform(-2, 2); });
    return;
  }
  mask.for_each<std::uint8_t>([&](std::uint8_t& x) {
    x = std::uint8_t(random.chance(0.5) ? pick(random, {1, 2, 255}) : 0);
  });
}

BooleanMask random_meaning(Random& random) {
  return random.chance(0.5) ? BooleanMask::keep : BooleanMask::drop;
}

// Rank 1 to 4, axes of size 1 here and there, the last one sometimes short.
Dims mask_shape(const RandomCall& call, Random& random) {
  const std::int64_t full[] = {call.batch, call.config.num_heads, call.queries, call.keys};
  const int rank = int(1 + random.below(4));
  Dims shape(full + 4 - rank, std::size_t(rank));
  for (int axis = 0; axis < rank; ++axis) {
    if (random.chance(0.3)) shape[axis] = 1;
  }
  if (shape[rank - 1] > 2 && random.chance(0.15)) shape[rank - 1] -= random.below(shape[rank - 1] - 2) + 1;
  return shape;
}

StridedTensor make_mask(const Dims& shape, Random& random) {
  const DType dtype = random.chance(0.5) ? DType::f32 : DType::boolean;
  StridedTensor mask(dtype, shape, random_layout(random, true), random);
  fill_mask(mask, random);
  return mask;
}

void make_key_lengths(RandomCall& call, Random& random) {
  const bool wide = random.chance(0.5);
  call.key_lengths = StridedTensor(wide ? DType::i64 : DType::i32, {call.batch}, random_layout(random, true), random);
  const auto length = [&] { return random.chance(0.2) ? 0 : random.below(call.keys + 1); };
  if (wide) call.key_lengths.for_each<std::int64_t>([&](std::int64_t& x) { x = length(); });
  if (!wide) call.key_lengths.for_each<std::int32_t>([&](std::int32_t& x) { x = std::int32_t(length()); });
  call.inputs.key_lengths = call.key_lengths.view();
}

void make_masks(RandomCall& call, Random& random) {
  AttentionInputs& in = call.inputs;
  if (random.chance(0.6)) {
    call.attention_mask = make_mask(mask_shape(call, random), random);
    in.attention_mask = call.attention_mask.view();
    in.attention_mask_meaning = random_meaning(random);
  }
  if (random.chance(0.3)) {
    call.key_padding = make_mask(random.chance(0.3) ? Dims{call.keys} : Dims{call.batch, call.keys}, random);
    in.key_padding_mask = call.key_padding.view();
    in.key_padding_meaning = random_meaning(random);
  }
  if (random.chance(0.3)) make_key_lengths(call, random);
  if (!random.chance(0.4)) return;
  in.causal = true;
  in.causal_alignment = random.chance(0.5) ? CausalAlignment::upper_left : CausalAlignment::lower_right;
  if (call.queries == call.keys && random.chance(0.5)) in.causal_alignment = CausalAlignment::unspecified;
}

template <class Use>
void for_each_position(const RandomCall& call, const Use& use) {
  for (std::int64_t b = 0; b < call.batch; ++b)
    for (std::int64_t h = 0; h < call.config.num_heads; ++h)
      for (std::int64_t i = 0; i < call.queries; ++i)
        for (std::int64_t j = 0; j < call.keys; ++j) use(Position{b, h, i, j});
}

// NaN goes into every mask element that lies on keys that another mask kills already.
void poison_mask(RandomCall& call) {
  const TensorView& mask = call.inputs.attention_mask;
  if (!mask.given || mask.dtype != DType::f32) return;
  AttentionInputs others = call.inputs;
  others.attention_mask = {};
  std::vector<std::int64_t> live;
  auto* data = static_cast<float*>(const_cast<void*>(mask.data));
  const auto dead_elsewhere = [&](const Position& p) {
    return total_bias(others, p, call.queries, call.keys) == dead_key;
  };
  for_each_position(call, [&](const Position& p) {
    const auto offset = mask_offset(mask, p);
    if (offset && !dead_elsewhere(p)) live.push_back(*offset);
  });
  std::sort(live.begin(), live.end());
  for_each_position(call, [&](const Position& p) {
    const auto offset = mask_offset(mask, p);
    if (!offset || std::binary_search(live.begin(), live.end(), *offset)) return;
    data[*offset] = std::numeric_limits<float>::quiet_NaN();
  });
}

void poison_row(const StridedTensor& tensor, std::int64_t b, std::int64_t h, std::int64_t j, Random& random) {
  const MutableTensorView& v = tensor.view();
  if (tensor.shares()) return;
  const float infinity = std::numeric_limits<float>::infinity();
  const float poison = random.chance(0.5) ? std::numeric_limits<float>::quiet_NaN() : infinity;
  float* row = static_cast<float*>(v.data) + b * v.strides[0] + h * v.strides[1] + j * v.strides[2];
  for (std::int64_t c = 0; c < v.shape[3]; ++c) row[c * v.strides[3]] = poison;
}

// Keys that no query of their group may see hold NaN and infinity; so do their values, unless the mean is taken.
void poison_dead_keys(RandomCall& call, Random& random) {
  const AttentionConfig& c = call.config;
  std::vector<char> live(std::size_t(call.batch * c.num_kv_heads * call.keys));
  const std::int64_t group = c.num_heads / c.num_kv_heads;
  const auto at = [&](std::int64_t b, std::int64_t h, std::int64_t j) {
    return std::size_t((b * c.num_kv_heads + h) * call.keys + j);
  };
  for_each_position(call, [&](const Position& p) {
    if (total_bias(call.inputs, p, call.queries, call.keys) != dead_key) live[at(p.batch, p.head / group, p.key)] = 1;
  });
  for (std::int64_t b = 0; b < call.batch; ++b)
    for (std::int64_t h = 0; h < c.num_kv_heads; ++h)
      for (std::int64_t j = 0; j < call.keys; ++j) {
        if (live[at(b, h, j)] != 0) continue;
        poison_row(call.key, b, h, j, random);
        if (c.rows_without_keys != RowsWithoutKeys::mean) poison_row(call.value, b, h, j, random);
      }
}

StridedTensor make_output(const Dims& shape, Random& random) {
  return StridedTensor(DType::f32, shape, random_layout(random, false), random);
}

void make_outputs(RandomCall& call, Random& random) {
  const AttentionConfig& c = call.config;
  call.output = make_output({call.batch, c.num_heads, call.queries, c.value_dim}, random);
  call.outputs.output = call.output.view();
  if (random.chance(0.5)) {
    call.attention = make_output({call.batch, c.num_heads, call.queries, call.keys}, random);
    call.outputs.attention = call.attention.view();
  }
  if (random.chance(0.3)) {
    call.average = make_output({call.batch, call.queries, call.keys}, random);
    call.outputs.average_attention = call.average.view();
  }
}

}  // namespace

std::string RandomCall::to_string() const {
  const auto layout = [](const char* name, const TensorView& v) {
    return v.given ? std::string(" ") + name + "=" + headwise::to_string(v.shape) + headwise::to_string(v.strides) : "";
  };
  return layout("query", inputs.query) + layout("key", inputs.key) + layout("value", inputs.value) +
         layout("mask", inputs.attention_mask) + layout("padding", inputs.key_padding_mask) +
         layout("lengths", inputs.key_lengths) + layout("output", outputs.output) +
         layout("attention", outputs.attention) + layout("average", outputs.average_attention) +
         " causal=" + std::to_string(inputs.causal) + " threads=" + std::to_string(options.threads) +
         " schedule=" + std::to_string(int(options.schedule)) +
         " empty=" + std::to_string(int(config.rows_without_keys));
}

void RandomCall::clear_outputs() {
  for (StridedTensor* tensor : {&output, &attention, &average}) tensor->fill_marks(mark);
}

bool RandomCall::take_elements(StridedTensor& tensor, std::vector<float>& elements) {
  tensor.for_each<float>([&](float& x) { elements.push_back(std::exchange(x, mark)); });
  return tensor.holds_only(mark);
}

RandomCall make_random_call(std::uint64_t seed, std::int64_t number) {
  Random random(seed * 1000003U + static_cast<std::uint64_t>(number));
  RandomCall call;
  choose_sizes(call, random);
  make_inputs(call, random);
  make_masks(call, random);
  poison_mask(call);
  poison_dead_keys(call, random);
  make_outputs(call, random);
  return call;
}
