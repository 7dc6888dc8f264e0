// Where the rows of each sequence lie, how many are live, and where its queries stand among its keys.
#include <algorithm>
#include <string>

#include "cache_access.hpp"
#include "request.hpp"

namespace headwise::runtime {

namespace {

std::string row_name(std::int64_t b) {
  return " for sequence " + std::to_string(b);
}

void check_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high, std::int64_t b) {
  if (value >= low && value <= high) return;
  refuse(name, "holds " + std::to_string(value) + row_name(b) + "; expected " + std::to_string(low) + " to " +
                   std::to_string(high));
}

void check_per_row(const char* name, const TensorView& view, std::int64_t count) {
  require_readable(name, view, id_types);
  require_shape(name, view, {count});
}

std::int64_t at(const TensorView& view, std::int64_t b) {
  return id_at(view, b * view.strides[0]);
}

void start_sequences(const char* name, std::int64_t batch, Tables& tables) {
  if (batch > longest_list) {
    refuse(name,
           "make a batch of " + std::to_string(batch) + " sequences; expected at most " + std::to_string(longest_list));
  }
  tables.sequences.assign(static_cast<std::size_t>(batch + 1), Sequence{});
}

void lay_padded(Tables& tables, Request& request) {
  Sizes& s = request.sizes;
  element_count({s.batch, s.queries, std::max(s.new_keys, std::int64_t{1})});  // throws for what can't be counted
  start_sequences("query and key", s.batch, tables);
  for (std::int64_t b = 0; b <= s.batch; ++b) {
    Sequence& sequence = tables.sequences[static_cast<std::size_t>(b)];
    sequence.query_row = b * s.queries;
    sequence.queries = s.queries;
    sequence.key_row = b * s.new_keys;
    sequence.new_keys = s.new_keys;
  }
}

// Reads the starts of the sequences and sets `start` and `count` of each; returns the longest.
std::int64_t read_starts(const char* name, const TensorView& starts, std::int64_t rows, Tables& tables,
                         std::int64_t Sequence::*start, std::int64_t Sequence::*count) {
  const auto batch = static_cast<std::int64_t>(tables.sequences.size()) - 1;
  check_per_row(name, starts, batch + 1);
  std::int64_t longest = 0;
  check_range(name, at(starts, 0), 0, 0, 0);
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t begin = at(starts, b);
    const std::int64_t end = at(starts, b + 1);
    check_range(name, end, begin, rows, b + 1);
    tables.sequences[static_cast<std::size_t>(b)].*start = begin;
    tables.sequences[static_cast<std::size_t>(b)].*count = end - begin;
    longest = std::max(longest, end - begin);
  }
  check_range(name, at(starts, batch), rows, rows, batch);
  tables.sequences.back().*start = rows;
  return longest;
}

void check_ragged(const AttentionInputs& inputs, const Request& request) {
  if (request.sizes.batch != 1) {
    refuse("query", "has a batch of " + std::to_string(request.sizes.batch) +
                        "; with cumulative lengths the tokens of all sequences lie in one row of a batch");
  }
  if (inputs.query_lengths.given)
    unsupported("query_lengths and cumulative_query_lengths say the same twice; give one");
  if (inputs.cumulative_key_lengths.given || !request.key.given) return;
  if (request.attends && request.sizes.new_keys != request.sizes.queries) {
    refuse("cumulative_key_lengths", "is missing: query has " + std::to_string(request.sizes.queries) +
                                         " rows and key " + std::to_string(request.sizes.new_keys));
  }
}

void lay_ragged(const AttentionInputs& inputs, Tables& tables, Request& request) {
  check_ragged(inputs, request);
  Sizes& s = request.sizes;
  const TensorView& first = request.attends ? inputs.cumulative_query_lengths : inputs.cumulative_key_lengths;
  const char* name = request.attends ? "cumulative_query_lengths" : "cumulative_key_lengths";
  if (first.shape.rank() != 1 || first.shape[0] < 1) {
    refuse(name, "has shape " + to_string(first.shape) + "; expected [B + 1]");
  }
  s.batch = first.shape[0] - 1;
  start_sequences(name, s.batch, tables);
  const std::int64_t query_rows = s.queries;
  if (request.attends) {
    s.queries = read_starts(name, first, query_rows, tables, &Sequence::query_row, &Sequence::queries);
  }
  if (!request.key.given) return;
  const bool own = inputs.cumulative_key_lengths.given;
  s.new_keys = read_starts(own ? "cumulative_key_lengths" : name, own ? inputs.cumulative_key_lengths : first,
                           s.new_keys, tables, &Sequence::key_row, &Sequence::new_keys);
}

void read_query_lengths(const AttentionInputs& inputs, Tables& tables, const Request& request) {
  if (!inputs.query_lengths.given) return;
  check_per_row("query_lengths", inputs.query_lengths, request.sizes.batch);
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    const std::int64_t length = at(inputs.query_lengths, b);
    check_range("query_lengths", length, 0, request.sizes.queries, b);
    tables.sequences[static_cast<std::size_t>(b)].queries = length;
  }
}

// Sizes must be those of the layer, and there must be room for the new tokens.
void check_cache(const KvCache& cache, Tables& tables, const Request& r) {
  const Sizes& s = r.sizes;
  if (!cache.keys().given) refuse("cache", "was moved from");
  require_shape("cache", cache.keys(), {s.batch, s.kv_heads, cache.capacity(), s.head_dim});
  require_shape("cache", cache.values(), {s.batch, s.kv_heads, cache.capacity(), s.value_dim});
  if (r.element == kernels::Element::f64)
    unsupported("a cache is not offered for f64 inputs; it holds f32, f16 or bf16");
  for (const auto& [name, view] : {std::pair{"key", &r.key}, {"value", &r.value}}) {
    if (!view->given) continue;
    require_apart(name, *view, "the keys of the cache", cache.keys());
    require_apart(name, *view, "the values of the cache", cache.values());
  }
  tables.append_counts.resize(static_cast<std::size_t>(s.batch));
  for (std::size_t b = 0; b < tables.append_counts.size(); ++b) tables.append_counts[b] = tables.sequences[b].new_keys;
  KvCache::Access::prepare(cache, tables.append_counts.data(), s.new_keys);
}

// In a call that only appends, key_lengths says how many of the given rows count.
void read_append_counts(const AttentionInputs& inputs, Tables& tables, const Request& request) {
  if (request.attends || !inputs.key_lengths.given) return;
  check_per_row("key_lengths", inputs.key_lengths, request.sizes.batch);
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    Sequence& sequence = tables.sequences[static_cast<std::size_t>(b)];
    check_range("key_lengths", at(inputs.key_lengths, b), 0, sequence.new_keys, b);
    sequence.new_keys = at(inputs.key_lengths, b);
  }
}

// What the rows of the cache hold once the new tokens are in it.
void read_cache(Tables& tables, Request& request) {
  Sizes& s = request.sizes;
  const KvCache* cache = request.cache;
  if (cache != nullptr) check_cache(*cache, tables, request);
  for (std::int64_t b = 0; b < s.batch; ++b) {
    Sequence& q = tables.sequences[static_cast<std::size_t>(b)];
    if (cache != nullptr) {
      q.cached = cache->length(b);
      q.position = KvCache::Access::oldest_after(*cache, b, q.new_keys);
    }
    q.keys = q.cached + q.new_keys - q.position;
    q.key_end = q.keys;
    s.keys = std::max(s.keys, q.keys);
  }
  if (cache == nullptr && !request.ragged) s.keys = s.new_keys;  // also when there is no sequence
}

void read_key_lengths(const AttentionInputs& inputs, Tables& tables, Request& request) {
  if (!inputs.key_lengths.given || !request.attends) return;
  check_per_row("key_lengths", inputs.key_lengths, request.sizes.batch);
  request.has_key_lengths = true;
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    Sequence& q = tables.sequences[static_cast<std::size_t>(b)];
    check_range("key_lengths", at(inputs.key_lengths, b), 0, q.keys, b);
    q.key_end = at(inputs.key_lengths, b);
  }
}

}  // namespace

void read_sequences(const AttentionInputs& inputs, Tables& tables, Request& request) {
  request.ragged = inputs.cumulative_query_lengths.given || (!request.attends && inputs.cumulative_key_lengths.given);
  if (inputs.cumulative_key_lengths.given && !request.ragged) {
    refuse("cumulative_query_lengths", "is missing: cumulative_key_lengths is given");
  }
  request.ragged ? lay_ragged(inputs, tables, request) : lay_padded(tables, request);
  request.sizes.query_rows = tables.sequences.back().query_row;
  request.sizes.key_rows = tables.sequences.back().key_row;
  read_query_lengths(inputs, tables, request);
  read_append_counts(inputs, tables, request);
  read_cache(tables, request);
  read_key_lengths(inputs, tables, request);
}

}  // namespace headwise::runtime
