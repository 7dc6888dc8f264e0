// NaN and infinity in every element that no live place reads.
#include <algorithm>
#include <limits>
#include <set>

#include "choose.hpp"
#include "facts.hpp"

namespace differential {

using namespace headwise;

namespace {

void poison_element(void* at, DType dtype, Random& random) {
  const double infinity = std::numeric_limits<double>::infinity();
  store(at, dtype, random.chance(0.6) ? std::numeric_limits<double>::quiet_NaN() : infinity);
}

template <class Use>
void for_each_place(const Layer& layer, const Call& call, const Use& use) {
  for (std::int64_t b = 0; b < call.batch; ++b)
    for (std::int64_t h = 0; h < layer.config.num_heads; ++h)
      for (std::int64_t i = 0; i < call.queries; ++i)
        for (std::int64_t j = 0; j < call.keys; ++j) use(Place{b, h, i, j});
}

void poison_mask(const Layer& layer, Call& call, Random& random) {
  const TensorView& mask = call.inputs.attention_mask;
  if (!mask.given || !is_float(mask.dtype)) return;
  std::set<void*> live, all;
  for_each_place(layer, call, [&](const Place& place) {
    void* at = mask_address(call, place);
    if (at == nullptr) return;
    all.insert(at);
    if (bias_of_others(call, place) != dead) live.insert(at);
  });
  for (void* at : all) {
    if (live.count(at) == 0) poison_element(at, mask.dtype, random);
  }
}

// Elements of a row: those of one head without projections, of the whole token with them.
struct Row {
  const Layer& layer;
  const Call& call;
  bool shares(const TensorView& view) const {
    for (int a = 0; a < view.shape.rank(); ++a) {
      if (view.shape[a] > 1 && view.strides[a] == 0) return true;
    }
    return false;
  }
  void poison(const TensorView& view, std::int64_t b, std::int64_t kv_head, std::int64_t row, Random& random) const {
    std::int64_t index[max_rank] = {};
    const int rank = view.shape.rank();
    if (rank == 4) index[1] = kv_head;
    if (rank >= 3) index[0] = call.ragged ? 0 : b;
    index[rank - 2] = row + (call.ragged ? sequence(call, b).key_row : 0);
    for (; index[rank - 1] < view.shape[rank - 1]; ++index[rank - 1]) {
      poison_element(address(view, index), view.dtype, random);
    }
  }
};

// live[b][kv head][j]; with projections a token counts for all heads.
std::set<std::vector<std::int64_t>> find_live_keys(const Layer& layer, const Call& call) {
  std::set<std::vector<std::int64_t>> live;
  const std::int64_t group = layer.config.num_heads / layer.config.num_kv_heads;
  for_each_place(layer, call, [&](const Place& p) {
    if (mask_bias(call, p) != dead) live.insert({p.batch, layer.projected ? 0 : p.head / group, p.key});
  });
  return live;
}

void poison_keys(const Layer& layer, Call& call, Random& random) {
  const AttentionInputs& in = call.inputs;
  const Row row{layer, call};
  if (in.key.data == in.query.data || row.shares(in.key) || row.shares(in.value)) return;
  const auto live = find_live_keys(layer, call);
  const bool mean = layer.config.rows_without_keys == RowsWithoutKeys::mean;
  const std::int64_t heads = layer.projected ? 1 : layer.config.num_kv_heads;
  for (std::int64_t b = 0; b < call.batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t j = 0; j < sequence(call, b).keys; ++j) {
        if (live.count({b, h, j}) != 0 || (mean && in.key.data == in.value.data)) continue;
        row.poison(in.key, b, h, j, random);
        if (!mean) row.poison(in.value, b, h, j, random);
      }
}

// NaN in one number, or in one whole row of keys or values: it must reach exactly the results that depend on it.
void spoil_one_row(Call& call, Random& random) {
  const TensorView view = pick(random, {call.inputs.query, call.inputs.key, call.inputs.value});
  std::int64_t index[max_rank] = {};
  const int last = view.shape.rank() - 1;
  for (int axis = 0; axis <= last; ++axis) {
    if (view.shape[axis] == 0) return;
    index[axis] = random.below(view.shape[axis]);
  }
  const std::int64_t end = random.chance(0.5) ? index[last] + 1 : view.shape[last];
  for (; index[last] < end; ++index[last]) {
    store(address(view, index), view.dtype, std::numeric_limits<double>::quiet_NaN());
  }
  call.tags.push_back("live NaN");
}

}  // namespace

void poison(const Layer& layer, Call& call, Random& random) {
  if (random.chance(0.08)) spoil_one_row(call, random);
  if (!random.chance(0.4)) return;
  poison_mask(layer, call, random);
  poison_keys(layer, call, random);
  call.tags.push_back("poison");
}

}  // namespace differential
