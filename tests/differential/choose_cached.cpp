// A cache, what is done to it, and calls that append to it and look at it.
#include <algorithm>

#include "choose.hpp"
#include "facts.hpp"

namespace differential {

using namespace headwise;

namespace {

using Kind = CacheAction::Kind;

// How many tokens each row has seen and which is the oldest that it holds.
struct Rows {
  KvCacheOptions options;
  std::vector<std::int64_t> lengths, oldest;

  explicit Rows(const KvCacheOptions& o) : options(o), lengths(std::size_t(o.batch)), oldest(std::size_t(o.batch)) {}
  std::int64_t room() const {
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    return options.circular ? options.capacity : options.capacity - longest;
  }
  void append(std::size_t b, std::int64_t count) {
    lengths[b] += count;
    if (options.circular) oldest[b] = std::max(oldest[b], lengths[b] - options.capacity);
  }
};

void choose_row(Rows& rows, CacheAction& action, Random& random) {
  action.row = random.below(rows.options.batch);
  const auto b = std::size_t(action.row);
  const std::int64_t held = rows.lengths[b] - rows.oldest[b];
  if (action.kind == Kind::copy_row) {
    action.count = random.below(rows.options.batch);
    rows.lengths[std::size_t(action.count)] = rows.lengths[b];
    rows.oldest[std::size_t(action.count)] = rows.oldest[b];
    return;
  }
  const std::int64_t gone = random.below(std::min<std::int64_t>(held, 4) + 1);
  rows.lengths[b] -= gone;
  action.count = action.kind == Kind::roll_back ? gone : rows.lengths[b];
}

// Rows that take only some of the n tokens.
void choose_counts(Call& call, Rows& rows, CacheAction& action, std::int64_t most, Random& random) {
  const bool all = random.chance(0.4);
  const MutableTensorView counts =
      new_tensor(call, pick(random, {DType::i32, DType::i64}), {rows.options.batch}, random, false);
  for (std::int64_t b = 0; b <= rows.options.batch; ++b) {
    Sequence s;
    s.key_row = b * most;
    if (b < rows.options.batch) {
      s.cached = rows.lengths[std::size_t(b)];
      s.new_keys = all ? most : random.below(most + 1);
      const std::int64_t index[] = {b};
      store(address(counts, index), counts.dtype, double(s.new_keys));
      rows.append(std::size_t(b), s.new_keys);
    }
    action.sequences.push_back(s);
  }
  if (!all || random.chance(0.3)) action.inputs.key_lengths = counts;
}

DType input_dtype(Random& random) {
  return random.chance(0.7) ? DType::f32 : pick(random, {DType::f16, DType::bf16});
}

void choose_append(const Layer& layer, Call& call, Rows& rows, CacheAction& action, Random& random) {
  const std::int64_t count = std::min(rows.room(), random.below(12)), batch = rows.options.batch;
  const AttentionConfig& c = layer.config;
  const DType dtype = input_dtype(random);
  if (action.kind == Kind::append) {
    choose_keys(layer, call, action.inputs, dtype, {batch, count}, random);
  } else {
    action.inputs.key = new_numbers(call, dtype, {batch, c.num_kv_heads, count, c.head_dim}, random);
    action.inputs.value = new_numbers(call, dtype, {batch, c.num_kv_heads, count, c.value_dim}, random);
  }
  choose_counts(call, rows, action, count, random);
  if (action.kind == Kind::append) choose_rotary(layer, call, action.inputs, action.sequences, false, random);
}

void choose_action(const Layer& layer, Call& call, Rows& rows, Random& random) {
  CacheAction action{pick(random, {Kind::append, Kind::append, Kind::append_heads, Kind::truncate, Kind::roll_back,
                                   Kind::copy_row, Kind::fork, Kind::clear})};
  const Kind kind = action.kind;
  if (kind == Kind::append || kind == Kind::append_heads) choose_append(layer, call, rows, action, random);
  if (kind == Kind::truncate || kind == Kind::roll_back || kind == Kind::copy_row) choose_row(rows, action, random);
  if (kind == Kind::clear) rows = Rows(rows.options);
  call.before.push_back(action);
}

// Lengths of a call that looks at what the cache holds and appends new_keys tokens.
void lay_cached(Call& call, Rows& rows) {
  for (std::int64_t b = 0; b <= call.batch; ++b) {
    Sequence s{call.queries, call.new_keys, 0, b * call.queries, b * call.new_keys, 0, 0};
    if (b < call.batch) {
      s.cached = rows.lengths[std::size_t(b)];
      rows.append(std::size_t(b), call.new_keys);
      s.first_position = rows.oldest[std::size_t(b)];
      s.keys = rows.lengths[std::size_t(b)] - s.first_position;
    }
    call.keys = std::max(call.keys, s.keys);
    call.sequences.push_back(s);
  }
}

void choose_step(Case& one, Rows& rows, Random& random) {
  Call& call = one.calls.emplace_back();
  call.batch = rows.options.batch;
  while (random.chance(0.25)) choose_action(one.layer, call, rows, random);
  const bool appends = rows.room() > 0 && random.chance(0.85);
  call.new_keys = appends ? std::min(rows.room(), random.chance(0.3) ? random.below(30) : 1 + random.below(4)) : 0;
  call.queries = appends && random.chance(0.8) ? call.new_keys : random.below(8);
  lay_cached(call, rows);
  choose_inputs(one.layer, call, input_dtype(random), random);
  if (!appends) call.inputs.key = call.inputs.value = {};
  call.tags.push_back(appends ? "cache" : "cache without new keys");
  finish_call(one.layer, call, random);
}

}  // namespace

void choose_cached_calls(Case& one, Random& random) {
  KvCacheOptions options;
  options.batch = 1 + random.below(3);
  options.circular = random.chance(0.35);
  options.capacity = options.circular ? 1 + random.below(40) : 20 + random.below(100);
  options.dtype = pick(random, {DType::f32, DType::f32, DType::f16, DType::bf16});
  one.cache = options;
  Rows rows(options);
  const std::int64_t steps = 1 + random.below(4);
  for (std::int64_t i = 0; i < steps; ++i) choose_step(one, rows, random);
}

}  // namespace differential
