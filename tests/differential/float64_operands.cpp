// Queries, keys and values as the softmax sees them: projected, normalised, turned, and behind those of the cache.
#include <algorithm>

#include "facts.hpp"
#include "float64_call.hpp"

namespace differential {

using namespace headwise;

namespace {

using Kind = CacheAction::Kind;

struct KeySide {
  Numbers key, value;
};

std::int64_t rows_of(const TensorView& view) {
  return view.shape[view.shape.rank() - 2];
}

// Whether position_ids stand for the keys too.
bool shares_ids(const AttentionInputs& in, const std::vector<Sequence>& sequences) {
  return in.position_ids.given && !in.key_position_ids.given &&
         std::all_of(sequences.begin(), sequences.end(), [](const Sequence& s) { return s.queries == s.new_keys; });
}

Positions positions_from(const TensorView& ids, bool ragged, const std::vector<Sequence>& sequences,
                         std::int64_t Sequence::*first, std::int64_t Sequence::*count) {
  return [=, &sequences](std::int64_t b, std::int64_t i) {
    const Sequence& s = sequences[std::size_t(b)];
    if (i >= s.*count) return no_position;
    return ragged ? id_at(ids, 0, s.*first + i) : id_at(ids, b, i);
  };
}

Positions key_positions(const AttentionInputs& in, const std::vector<Sequence>& sequences, bool ragged) {
  const bool shared = shares_ids(in, sequences);
  if (shared || in.key_position_ids.given) {
    return positions_from(shared ? in.position_ids : in.key_position_ids, ragged, sequences, &Sequence::key_row,
                          &Sequence::new_keys);
  }
  return [&](std::int64_t b, std::int64_t i) {
    const Sequence& s = sequences[std::size_t(b)];
    return i < s.new_keys ? s.cached + i : no_position;
  };
}

Positions query_positions(const Call& call) {
  if (call.inputs.position_ids.given) {
    return positions_from(call.inputs.position_ids, call.ragged, call.sequences, &Sequence::query_row,
                          &Sequence::queries);
  }
  return [&](std::int64_t b, std::int64_t i) {
    return i < sequence(call, b).queries ? query_position(call, b, i) : no_position;
  };
}

// The rows of key and value that a call brings.
KeySide bring_keys(const Layer& layer, const AttentionInputs& in, const std::vector<Sequence>& sequences, bool ragged,
                   const Precision& p) {
  const AttentionWeights& w = layer.weights;
  std::int64_t longest = 0;
  for (const Sequence& s : sequences) longest = std::max(longest, s.new_keys);
  const auto rows = [&](const TensorView& view) {
    return read_rows({view, &sequences, &Sequence::key_row, &Sequence::new_keys, longest, ragged});
  };
  KeySide side{rows(in.key), rows(in.value)};
  if (layer.projected) {
    side.key = project(side.key, w.key_weight, w.key_bias, layer.config.num_kv_heads, p);
    side.value = project(side.value, w.value_weight, w.value_bias, layer.config.num_kv_heads, p);
  }
  normalise(side.key, w.key_norm, double(layer.weights.config.norm_epsilon), p);
  rotate(side.key, layer.config.rotary, in, key_positions(in, sequences, ragged), p);
  return side;
}

Numbers bring_queries(const Layer& layer, const Call& call, const Precision& p) {
  const AttentionWeights& w = layer.weights;
  Numbers query = read_rows(
      {call.inputs.query, &call.sequences, &Sequence::query_row, &Sequence::queries, call.queries, call.ragged});
  if (layer.projected) query = project(query, w.query_weight, w.query_bias, layer.config.num_heads, p);
  normalise(query, w.query_norm, double(layer.weights.config.norm_epsilon), p);
  rotate(query, layer.config.rotary, call.inputs, query_positions(call), p);
  return query;
}

void append_heads(const CacheAction& action, Float64Cache& cache) {
  const auto rows = [&](const TensorView& view) {
    return read_rows({view, &action.sequences, &Sequence::key_row, &Sequence::new_keys, rows_of(view), false});
  };
  cache.append(rows(action.inputs.key), rows(action.inputs.value), action.sequences);
}

}  // namespace

Operands make_operands(const Layer& layer, const Call& call, Float64Cache* cache, const Precision& p) {
  Operands all{bring_queries(layer, call, p), {}, {}};
  const AttentionConfig& c = layer.config;
  KeySide side;
  if (call.inputs.key.given) side = bring_keys(layer, call.inputs, call.sequences, call.ragged, p);
  if (cache == nullptr) return {all.query, side.key, side.value};
  if (call.inputs.key.given) cache->append(side.key, side.value, call.sequences);
  all.key = Numbers(call.batch, c.num_kv_heads, call.keys, c.head_dim);
  all.value = Numbers(call.batch, c.num_kv_heads, call.keys, c.value_dim);
  cache->read(call.sequences, all.key, all.value);
  return all;
}

void apply(const CacheAction& action, const Layer& layer, Float64Cache& cache, const Precision& p) {
  if (action.kind == Kind::append_heads) append_heads(action, cache);
  if (action.kind == Kind::append) {
    const KeySide side = bring_keys(layer, action.inputs, action.sequences, false, p);
    cache.append(side.key, side.value, action.sequences);
  }
  if (action.kind == Kind::truncate) cache.truncate(action.row, action.count);
  if (action.kind == Kind::roll_back) cache.truncate(action.row, cache.length(action.row) - action.count);
  if (action.kind == Kind::copy_row) cache.copy_row(action.row, action.count);
  if (action.kind == Kind::clear) cache.clear();
}

}  // namespace differential
