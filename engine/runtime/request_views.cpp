// The tensors of a call: query, key, value, their shapes and types.
#include <algorithm>
#include <string>

#include "request.hpp"
#include "with_batch.hpp"

namespace headwise::runtime {

namespace {

using kernels::Element;

void check_type(const char* name, const TensorView& view, const TensorView& first) {
  require_readable(name, view, float_types);
  if (view.dtype == first.dtype) return;
  refuse(name, std::string("is ") + dtype_name(view.dtype) + "; expected " + dtype_name(first.dtype) +
                   ", the type of the first input");
}

void check_double(const Model& model, Request& request, DType dtype) {
  if (dtype != DType::f64) return;
  request.element = Element::f64;
  if (model.projected) unsupported("f64 inputs are offered without projections only; convert them to f32");
  if (model.config.rotary.dim > 0)
    unsupported("f64 inputs are not offered with a rotary embedding: its angles are f32");
  if (std::string(model.kernels->isa) != "reference") {
    unsupported(std::string("f64 inputs need the ISA \"reference\" (ModelOptions::isa); this model runs ") +
                model.kernels->isa);
  }
}

void check_rank(const char* name, const TensorView& view, int rank, const char* expected) {
  if (view.shape.rank() != rank) refuse(name, "has shape " + to_string(view.shape) + "; expected " + expected);
}

struct Wanted {
  const char* name;
  TensorView AttentionInputs::*input;
  TensorView Request::*view;
};

void take_views(const AttentionInputs& inputs, int rank, Request& request) {
  constexpr Wanted all[] = {{"query", &AttentionInputs::query, &Request::query},
                            {"key", &AttentionInputs::key, &Request::key},
                            {"value", &AttentionInputs::value, &Request::value}};
  const bool cached_only = request.attends && request.cache != nullptr && !inputs.key.given && !inputs.value.given;
  const TensorView& first = request.attends ? inputs.query : inputs.key;
  for (int i = request.attends ? 0 : 1; i < (cached_only ? 1 : 3); ++i) {
    check_type(all[i].name, inputs.*all[i].input, first);
    request.*all[i].view = with_batch(inputs.*all[i].input, rank);
  }
}

// Rows of [B, L, width] or [B, H, L, size].
std::int64_t length_of(const TensorView& view) {
  return view.given ? view.shape[view.shape.rank() - 2] : 0;
}

void check_projected(const AttentionConfig& config, const Request& r, std::int64_t batch) {
  if (r.query.given) {
    require_shape("query", r.query, {batch, length_of(r.query), config.model_dim});
  }
  if (!r.key.given) return;
  require_shape("key", r.key, {batch, length_of(r.key), config.key_input_dim});
  require_shape("value", r.value, {batch, length_of(r.key), config.value_input_dim});
}

void check_heads(const Request& r, std::int64_t batch) {
  const Sizes& s = r.sizes;
  if (r.query.given) {
    require_shape("query", r.query, {batch, s.heads, length_of(r.query), s.head_dim});
  }
  if (!r.key.given) return;
  require_shape("key", r.key, {batch, s.kv_heads, length_of(r.key), s.head_dim});
  require_shape("value", r.value, {batch, s.kv_heads, length_of(r.key), s.value_dim});
}

}  // namespace

void read_views(const Model& model, const AttentionInputs& inputs, Request& request) {
  const int rank = model.projected ? 3 : 4;
  take_views(inputs, rank, request);
  const TensorView& first = request.attends ? request.query : request.key;
  check_double(model, request, first.dtype);
  check_rank(request.attends ? "query" : "key", first, rank, model.projected ? "[B, L, D] or [L, D]" : "[B, H, L, d]");
  if (request.key.given) {
    check_rank("key", request.key, rank, model.projected ? "[B, Lk, D] or [Lk, D]" : "[B, Hkv, Lk, d]");
  }
  request.sizes.batch = first.shape[0];
  request.sizes.queries = length_of(request.query);
  request.sizes.new_keys = length_of(request.key);
  const std::int64_t batch = request.sizes.batch;
  model.projected ? check_projected(model.config, request, batch) : check_heads(request, batch);
}

}  // namespace headwise::runtime
