// A call after its arguments were checked: sizes, views of one rank, masks in one form, one entry a sequence.
#pragma once

#include <cmath>
#include <vector>

#include "attend.hpp"
#include "elements.hpp"
#include "headwise/attention.hpp"
#include "model.hpp"
#include "view_checks.hpp"

namespace headwise::runtime {

struct Sizes {
  std::int64_t batch = 0, heads = 0, kv_heads = 0;
  std::int64_t group = 1;              // query heads of a key/value head
  std::int64_t queries = 0, keys = 0;  // of the longest sequence; keys count what the cache holds, not the extra ones
  std::int64_t new_keys = 0;           // rows of key and value of the longest sequence
  std::int64_t query_rows = 0, key_rows = 0;  // of all sequences together, padding included
  std::int64_t extra = 0;                     // keys of bias_key and add_zero_attention
  std::int64_t head_dim = 0, value_dim = 0;
};

// One row of the batch.
struct Sequence {
  std::int64_t query_row = 0;  // where its queries start when the rows of all sequences lie one after the other
  std::int64_t queries = 0;    // live ones
  std::int64_t key_row = 0, new_keys = 0;
  std::int64_t cached = 0;    // tokens that the cache has seen before this call
  std::int64_t position = 0;  // of key 0: not 0 once a circular cache has forgotten some
  std::int64_t keys = 0;      // that the queries could see: cached and new
  std::int64_t key_end = 0;   // those at and past it are dead
  std::int64_t offset = 0;    // query i stands at key i + offset
  std::int64_t blocks = 0;    // of queries
  double pairs = 0;           // live (query, key) pairs of a head, as far as positions and lengths tell
  bool few = false;           // served by slices of the keys instead of blocks of queries
};

// A mask tensor with its axes brought to [B, H, Lq, Lk]; a broadcast axis has stride 0. Strides count elements.
struct MaskSource {
  const void* data = nullptr;
  kernels::MaskKind kind = kernels::MaskKind::keep;
  kernels::Element element = kernels::Element::f32;
  std::int64_t batch_stride = 0, head_stride = 0, query_stride = 0, key_stride = 0;
  std::int64_t columns = 0;         // keys that it has an answer for
  const void* query_ids = nullptr;  // documents only, with query_batch_stride and query_stride
  std::int64_t query_batch_stride = 0;
};

// Lists whose length depends on the call; they keep their memory from call to call.
struct Tables {
  std::vector<Sequence> sequences;  // one more than the batch: the last says where the rows end
  std::vector<float> gates;         // [H] or [B, H]; empty: all 1
  std::vector<std::int64_t> attention_heads, attention_queries;  // chosen ones, when chosen
  std::vector<std::int64_t> append_counts;                       // tokens that each row adds to the cache
  // The order of the work, see schedule.cpp.
  std::vector<double> work;
  std::vector<std::int64_t> order, attend_units, slice_units, slice_starts, slab_starts, slab_order;
};

struct Request {
  Sizes sizes;
  const Tables* tables = nullptr;
  bool one_tensor = false;  // query and key are, and no cache is there: self-attention
  bool fused = false;       // one product serves query, key and value, which are one tensor
  bool ragged = false;      // sequences of different lengths, without padding
  bool attends = true;      // false: keys and values go into the cache and that is all
  bool per_batch_gates = false;
  bool has_key_lengths = false;
  kernels::Element element = kernels::Element::f32;  // that the call computes in
  TensorView query, key, value;  // [B, L, width], or [B, H, L, size] without projections; B = 1 when ragged
  AttentionOutputs outputs;      // brought to full rank; the four-dimensional ones are [B, H, Lq, …]
  MaskSource masks[kernels::MaskForm::max_planes];
  int num_masks = 0;
  std::int64_t left = kernels::MaskForm::open, right = kernels::MaskForm::open;  // the window around a query's position
  TensorView position_ids, key_position_ids;                                     // [B, L], [L] or not given
  TensorView rotary_cos, rotary_sin;
  KvCache* cache = nullptr;

  const Sequence& sequence(std::int64_t b) const noexcept { return tables->sequences[static_cast<std::size_t>(b)]; }
  std::int64_t columns() const noexcept { return sizes.keys + sizes.extra; }
  float gate(std::int64_t b, std::int64_t head) const noexcept {
    if (tables->gates.empty()) return 1;
    return tables->gates[static_cast<std::size_t>((per_batch_gates ? b * sizes.heads : 0) + head)];
  }
  bool wants_weights() const noexcept {
    return outputs.attention.given || outputs.average_attention.given || outputs.top_weights.given ||
           outputs.top_keys.given || outputs.column_sums.given;
  }
};

// The positions of query or new key rows, for the rotary embedding.
struct PositionSource {
  const Request* request;
  bool of_queries;
  std::int64_t at(std::int64_t batch, std::int64_t row) const noexcept;
  std::int64_t rows_of(const Sequence& sequence) const noexcept;
};

// The rows of query and of key and value are cut into sequences in the same way.
bool has_key_for_each_query(const Request& request) noexcept;
// A list or a batch of more would only serve to exhaust memory: one number with a stride of 0 can claim any size.
constexpr std::int64_t longest_list = std::int64_t{1} << 24;

// Throws Error naming the argument, what was expected and what was given. Allocates only to say so, and in tables that
// are too small.
void read_request(const Model& model, const AttentionInputs& inputs, const AttentionOutputs& outputs, Tables& tables,
                  Request& request);
// The same for a call that only appends to a cache.
void read_append(const Model& model, const AttentionInputs& inputs, Tables& tables, Request& request);

// request_views.cpp: the tensors themselves.
void read_views(const Model& model, const AttentionInputs& inputs, Request& request);
// request_outputs.cpp
void read_outputs(const Model& model, const AttentionOutputs& outputs, Tables& tables, Request& request);
void check_overlaps(const AttentionInputs& inputs, const Request& request);
// sequences.cpp
void read_sequences(const AttentionInputs& inputs, Tables& tables, Request& request);
// positions.cpp
void read_positions(const Model& model, const AttentionInputs& inputs, Tables& tables, Request& request);
// masks.cpp
void read_masks(const AttentionInputs& inputs, Tables& tables, Request& request);
kernels::MaskForm mask_form(const Request& request, std::int64_t batch, std::int64_t head) noexcept;
// The same where it stays: a copy shows in tiny calls.
void fill_mask(const Request& request, std::int64_t batch, std::int64_t head, kernels::MaskForm& form) noexcept;
// heads.cpp
void read_heads(const AttentionInputs& inputs, Tables& tables, Request& request);

// Throws Error(unsupported) saying what is not offered together.
[[noreturn]] void unsupported(const std::string& problem);

}  // namespace headwise::runtime
