#include "request.hpp"

#include <algorithm>
#include <string>

namespace headwise::runtime {

namespace {

void start(const Model& model, const AttentionInputs& inputs, Tables& tables, Request& request) {
  const AttentionConfig& config = model.config;
  request.tables = &tables;
  request.cache = inputs.cache;
  Sizes& s = request.sizes;
  s.heads = config.num_heads;
  s.kv_heads = config.num_kv_heads;
  s.group = s.heads / s.kv_heads;
  s.head_dim = config.head_dim;
  s.value_dim = config.value_dim;
  s.extra = model.num_extra_keys();
}

// Keeps every product of sizes that is computed later inside int64, scratch for all threads included: a stride of 0
// makes a view of any size out of one number. 2^40 floats are 4 TiB.
void check_total(const AttentionConfig& config, const Sizes& s) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  element_count({s.batch, s.heads, s.queries, s.keys + s.extra});  // throws for a negative size
  const std::int64_t batch = std::max<std::int64_t>(s.batch, 1);
  const std::int64_t longest = std::max<std::int64_t>({s.queries, s.keys, 1});
  for (const std::int64_t width :
       {s.head_dim, s.value_dim, config.model_dim, config.key_input_dim, config.value_input_dim, config.output_dim}) {
    if (element_count({batch, s.heads, longest, width}) <= limit) continue;
    refuse("query, key and value", "of " + to_string({batch, longest, width}) + " for " + std::to_string(s.heads) +
                                       " heads are too large; expected at most 2^40 elements");
  }
}

// One product serves all three when they are one tensor, cut into sequences in one way: its rows of a slab are those of
// the slab's queries. Otherwise the three products must be there.
void choose_products(const Model& model, Request& request) {
  if (!model.projected) return;
  const bool one_input = has_key_for_each_query(request) && same_elements(request.query, request.key) &&
                         same_elements(request.query, request.value);
  request.fused = one_input && model.product(Product::qkv).has_value();
  if (request.fused || model.product(Product::query)) return;
  if (!request.query.given || !request.key.given) {
    unsupported("a model that was made with self_attention_only has no products for keys or queries alone");
  }
  {
    refuse("query, key and value",
           "must be one tensor, with the same lengths, since the model was made with self_attention_only");
  }
}

}  // namespace

bool has_key_for_each_query(const Request& r) noexcept {
  for (std::int64_t b = 0; b <= r.sizes.batch; ++b) {
    const Sequence& q = r.sequence(b);
    if (q.query_row != q.key_row || (b < r.sizes.batch && r.ragged && q.queries != q.new_keys)) return false;
  }
  return true;
}

void unsupported(const std::string& problem) {
  throw Error(ErrorCode::unsupported, problem);
}

void read_request(const Model& model, const AttentionInputs& inputs, const AttentionOutputs& outputs, Tables& tables,
                  Request& request) {
  start(model, inputs, tables, request);
  read_views(model, inputs, request);
  read_sequences(inputs, tables, request);
  check_total(model.config, request.sizes);
  read_positions(model, inputs, tables, request);
  read_masks(inputs, tables, request);
  read_heads(inputs, tables, request);
  read_outputs(model, outputs, tables, request);
  check_overlaps(inputs, request);
  request.one_tensor = request.cache == nullptr && same_elements(request.query, request.key);
  choose_products(model, request);
}

void read_append(const Model& model, const AttentionInputs& inputs, Tables& tables, Request& request) {
  start(model, inputs, tables, request);
  request.attends = false;
  read_views(model, inputs, request);
  read_sequences(inputs, tables, request);
  check_total(model.config, request.sizes);
  read_positions(model, inputs, tables, request);
  choose_products(model, request);
}

}  // namespace headwise::runtime
