#include "request.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "views.hpp"

namespace headwise::runtime {

namespace {

// [L, D] counts as a batch of one.
template <class View>
View with_batch(const View& view, int rank) {
  if (!view.given || view.shape.rank() != rank - 1) return view;
  std::int64_t sizes[max_rank] = {1};
  std::int64_t steps[max_rank] = {0};
  std::copy(view.shape.begin(), view.shape.end(), sizes + 1);
  std::copy(view.strides.begin(), view.strides.end(), steps + 1);
  const auto count = static_cast<std::size_t>(rank);
  return View(view.data, view.dtype, Dims(sizes, count), Dims(steps, count));
}

void check_f32(const char* name, const TensorView& view) {
  if (!view.given) reject(name, "is missing");
  if (view.dtype != DType::f32) reject(name, std::string("must be f32, not ") + dtype_name(view.dtype));
  check_memory(name, view);
}

void check_shape(const char* name, const TensorView& view, const Dims& expected) {
  if (view.shape != expected) {
    reject(name, "has shape " + to_string(view.shape) + "; expected " + to_string(expected));
  }
}

void check_rank(const char* name, const TensorView& view, int rank, const char* expected) {
  if (view.shape.rank() != rank) reject(name, "has shape " + to_string(view.shape) + "; expected " + expected);
}

// Two elements of an output must not share memory: walking the axes from the smallest stride on, each has to step over
// all that the axes before it reach.
bool elements_are_apart(const TensorView& view) {
  int axes[max_rank];
  int count = 0;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    if (view.shape[axis] > 1) axes[count++] = axis;
  }
  const auto stride = [&](int axis) { return std::abs(view.strides[axis]); };
  for (int i = 1; i < count; ++i) {
    for (int j = i; j > 0 && stride(axes[j - 1]) > stride(axes[j]); --j) std::swap(axes[j - 1], axes[j]);
  }
  std::int64_t reach = 0;
  for (int i = 0; i < count; ++i) {
    if (stride(axes[i]) <= reach) return false;
    reach += (view.shape[axes[i]] - 1) * stride(axes[i]);
  }
  return true;
}

void check_output(const char* name, const TensorView& view, const Dims& expected) {
  check_f32(name, view);
  check_shape(name, view, expected);
  if (!byte_range(view) || !elements_are_apart(view)) {
    reject(name, "has strides " + to_string(view.strides) + " for shape " + to_string(view.shape) +
                     ", so that its elements would overwrite each other");
  }
}

bool same_tensor(const TensorView& a, const TensorView& b) {
  return a.data == b.data && a.shape == b.shape && a.strides == b.strides;
}

void read_projected(const AttentionConfig& config, Request& request) {
  Sizes& s = request.sizes;
  check_rank("query", request.query, 3, "[B, Lq, D] or [Lq, D]");
  check_rank("key", request.key, 3, "[B, Lk, D] or [Lk, D]");
  s.batch = request.query.shape[0];
  s.queries = request.query.shape[1];
  s.keys = request.key.shape[1];
  check_shape("query", request.query, {s.batch, s.queries, config.model_dim});
  check_shape("key", request.key, {s.batch, s.keys, config.key_input_dim});
  check_shape("value", request.value, {s.batch, s.keys, config.value_input_dim});
  check_output("output", request.output, {s.batch, s.queries, config.output_dim});
}

void read_heads(const AttentionConfig& config, Request& request) {
  Sizes& s = request.sizes;
  check_rank("query", request.query, 4, "[B, H, Lq, d]");
  check_rank("key", request.key, 4, "[B, Hkv, Lk, d]");
  s.batch = request.query.shape[0];
  s.queries = request.query.shape[2];
  s.keys = request.key.shape[2];
  check_shape("query", request.query, {s.batch, s.heads, s.queries, s.head_dim});
  check_shape("key", request.key, {s.batch, s.kv_heads, s.keys, s.head_dim});
  check_shape("value", request.value, {s.batch, s.kv_heads, s.keys, s.value_dim});
  check_output("output", request.output, {s.batch, config.num_heads, s.queries, s.value_dim});
}

// Only plainly overlapping memory is refused: two strided views may interleave without touching.
void check_overlap(const char* output_name, const TensorView& output, const char* name, const TensorView& other) {
  if (!output.given || !other.given) return;
  const bool same = same_tensor(output, other) && element_count(output.shape) > 0;
  if (same) reject(output_name, std::string("overlaps ") + name + " in memory");
  if (!is_contiguous(output) || !is_contiguous(other)) return;
  const auto a = byte_range(output);
  const auto b = byte_range(other);
  if (a && b && a->overlaps(*b)) reject(output_name, std::string("overlaps ") + name + " in memory");
}

void check_overlaps(const Request& r, const AttentionInputs& inputs) {
  const struct {
    const char* name;
    TensorView view;
  } outputs[] = {{"output", r.output}, {"attention", r.attention}, {"average_attention", r.average_attention}},
    others[] = {{"query", r.query},
                {"key", r.key},
                {"value", r.value},
                {"attention_mask", inputs.attention_mask},
                {"key_padding_mask", inputs.key_padding_mask},
                {"key_lengths", inputs.key_lengths}};
  for (int i = 0; i < 3; ++i) {
    for (const auto& other : others) check_overlap(outputs[i].name, outputs[i].view, other.name, other.view);
    for (int j = 0; j < i; ++j) check_overlap(outputs[i].name, outputs[i].view, outputs[j].name, outputs[j].view);
  }
}

// Keeps every product of sizes that is computed later inside int64, scratch for all threads included: a stride of 0
// makes a view of any size out of one number. 2^40 floats are 4 TiB.
void check_total(const AttentionConfig& config, const Sizes& s) {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  element_count({s.batch, s.heads, s.queries, s.keys});  // throws for a negative size
  const std::int64_t batch = std::max<std::int64_t>(s.batch, 1);
  const std::int64_t longest = std::max<std::int64_t>({s.queries, s.keys, 1});
  for (const std::int64_t width :
       {s.head_dim, s.value_dim, config.model_dim, config.key_input_dim, config.value_input_dim, config.output_dim}) {
    if (element_count({batch, s.heads, longest, width}) <= limit) continue;
    reject("query, key and value", "of " + to_string({batch, longest, width}) + " for " + std::to_string(s.heads) +
                                       " heads are too large; expected at most 2^40 elements");
  }
}

void take_views(const AttentionInputs& inputs, const AttentionOutputs& outputs, int rank, Request& request) {
  check_f32("query", inputs.query);
  check_f32("key", inputs.key);
  check_f32("value", inputs.value);
  request.query = with_batch(inputs.query, rank);
  request.key = with_batch(inputs.key, rank);
  request.value = with_batch(inputs.value, rank);
  request.output = with_batch(outputs.output, rank);
  request.attention = with_batch(outputs.attention, 4);
  request.average_attention = with_batch(outputs.average_attention, 3);
}

}  // namespace

void reject(const std::string& name, const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, name + " " + problem);
}

void check_memory(const char* name, const TensorView& view) {
  if (view.strides.rank() != view.shape.rank()) {
    reject(name, "has strides " + to_string(view.strides) + " for shape " + to_string(view.shape));
  }
  if (view.data == nullptr && element_count(view.shape) > 0) reject(name, "has no memory: its data is null");
  if (reinterpret_cast<std::uintptr_t>(view.data) % dtype_size(view.dtype) != 0) {
    reject(name, std::string("starts at an address that is no multiple of the size of ") + dtype_name(view.dtype));
  }
}

Request make_request(const Model& model, const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  const AttentionConfig& config = model.config;
  Request request;
  Sizes& s = request.sizes;
  s.heads = config.num_heads;
  s.kv_heads = config.num_kv_heads;
  s.head_dim = config.head_dim;
  s.value_dim = config.value_dim;
  take_views(inputs, outputs, model.projected ? 3 : 4, request);
  model.projected ? read_projected(config, request) : read_heads(config, request);
  check_total(config, s);
  if (request.attention.given) {
    check_output("attention", request.attention, {s.batch, s.heads, s.queries, s.keys});
  }
  if (request.average_attention.given) {
    check_output("average_attention", request.average_attention, {s.batch, s.queries, s.keys});
  }
  read_masks(inputs, request);
  check_overlaps(request, inputs);
  const bool one_input = same_tensor(request.query, request.key) && same_tensor(request.query, request.value);
  request.fused = one_input && model.product(Product::qkv).has_value();
  if (model.projected && !request.fused && !model.product(Product::query)) {
    reject("query, key and value", "must be one tensor since the model was made with self_attention_only");
  }
  return request;
}

}  // namespace headwise::runtime
