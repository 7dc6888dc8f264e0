// Brings every mask to the one form that the kernels know.
#include <algorithm>
#include <string>

#include "request.hpp"

namespace headwise::runtime {

namespace {

using kernels::MaskForm;
using kernels::MaskKind;

MaskKind mask_kind(const char* name, const TensorView& mask, BooleanMask meaning) {
  if (is_float_type(mask.dtype)) return MaskKind::additive;
  if (mask.dtype != DType::boolean && mask.dtype != DType::u8) {
    refuse(name, std::string("must be bool or f32, f16, bf16, not ") + dtype_name(mask.dtype));
  }
  if (meaning == BooleanMask::unspecified) {
    refuse(name, "is boolean: say what true means, BooleanMask::keep (may attend) or BooleanMask::drop (is masked)");
  }
  if (meaning == BooleanMask::keep) return MaskKind::keep;
  if (meaning == BooleanMask::drop) return MaskKind::drop;
  refuse(name, "has a meaning that is no value of its type: " + std::to_string(static_cast<int>(meaning)));
}

// In an f32 call an f64 bias would be rounded without a word.
void check_mask_type(const char* name, const TensorView& mask, const Request& request) {
  if (mask.dtype == DType::f64 && request.element != kernels::Element::f64) {
    refuse(name, "must be bool or f32, f16, bf16 in an f32 call, not f64");
  }
  require_readable(name, mask, all_types);
}

// The stride of an axis counted from the right, 0 where the mask is broadcast.
std::int64_t broadcast_stride(const char* name, const TensorView& mask, int from_right, std::int64_t size) {
  const int axis = mask.shape.rank() - 1 - from_right;
  if (axis < 0 || mask.shape[axis] == 1) return 0;
  if (mask.shape[axis] != size) {
    refuse(name, "has shape " + to_string(mask.shape) + ", whose axis " + std::to_string(axis) + " is not " +
                     (size == 1 ? "1" : "1 or " + std::to_string(size)));
  }
  return mask.strides[axis];
}

// A last axis that is shorter than Lk leaves the keys past it dead.
std::int64_t mask_keys(const TensorView& mask, std::int64_t keys) {
  const std::int64_t last = mask.shape[mask.shape.rank() - 1];
  return last == 1 || last > keys ? keys : last;
}

void add_mask(const MaskSource& source, Request& request) {
  request.masks[request.num_masks++] = source;
}

void read_attention_mask(const AttentionInputs& inputs, Tables& tables, Request& request) {
  const TensorView& mask = inputs.attention_mask;
  const char* name = "attention_mask";
  if (!mask.given) return;
  if (mask.shape.rank() < 1 || mask.shape.rank() > 4) {
    refuse(name, "has shape " + to_string(mask.shape) + "; expected 1 to 4 axes that broadcast over [B, H, Lq, Lk]");
  }
  const Sizes& sizes = request.sizes;
  check_mask_type(name, mask, request);
  const std::int64_t keys = mask_keys(mask, sizes.keys);
  for (Sequence& sequence : tables.sequences) sequence.key_end = std::min(sequence.key_end, keys);
  MaskSource source{.data = mask.data,
                    .kind = mask_kind(name, mask, inputs.attention_mask_meaning),
                    .element = element_of(mask.dtype)};
  source.batch_stride = broadcast_stride(name, mask, 3, sizes.batch);
  source.head_stride = broadcast_stride(name, mask, 2, sizes.heads);
  source.query_stride = broadcast_stride(name, mask, 1, sizes.queries);
  source.key_stride = broadcast_stride(name, mask, 0, keys);
  source.columns = keys;
  add_mask(source, request);
}

// [B, L] or [L]; returns the stride of a row of the batch.
std::int64_t check_rows(const char* name, const TensorView& view, std::int64_t batch, std::int64_t length) {
  const int rank = view.shape.rank();
  const bool fits = (rank == 1 || rank == 2) && view.shape[rank - 1] == length;
  if (!fits) refuse(name, "has shape " + to_string(view.shape) + "; expected " + to_string({batch, length}));
  return broadcast_stride(name, view, 1, batch);
}

void read_key_padding(const AttentionInputs& inputs, Request& request) {
  const TensorView& mask = inputs.key_padding_mask;
  const char* name = "key_padding_mask";
  if (!mask.given) return;
  check_mask_type(name, mask, request);
  MaskSource source{
      .data = mask.data, .kind = mask_kind(name, mask, inputs.key_padding_meaning), .element = element_of(mask.dtype)};
  source.batch_stride = check_rows(name, mask, request.sizes.batch, request.sizes.keys);
  source.key_stride = mask.strides[mask.shape.rank() - 1];
  source.columns = request.sizes.keys;
  add_mask(source, request);
}

void read_documents(const AttentionInputs& inputs, Request& request) {
  const TensorView& queries = inputs.query_documents;
  if (!queries.given && !inputs.key_documents.given) return;
  if (!queries.given) refuse("query_documents", "is missing: key_documents is given");
  const Sizes& s = request.sizes;
  const bool own = inputs.key_documents.given;
  if (!own && s.queries != s.keys) refuse("key_documents", "is missing: Lq differs from Lk");
  const TensorView& keys = own ? inputs.key_documents : queries;
  require_readable("query_documents", queries, id_types);
  require_readable("key_documents", keys, id_types);
  if (keys.dtype != queries.dtype) refuse("key_documents", "must be of the type of query_documents");
  MaskSource source{.data = keys.data, .kind = MaskKind::documents, .element = element_of(keys.dtype)};
  source.batch_stride = check_rows(own ? "key_documents" : "query_documents", keys, s.batch, s.keys);
  source.key_stride = keys.strides[keys.shape.rank() - 1];
  source.columns = s.keys;
  source.query_ids = queries.data;
  source.query_batch_stride = check_rows("query_documents", queries, s.batch, s.queries);
  source.query_stride = queries.strides[queries.shape.rank() - 1];
  add_mask(source, request);
}

const void* behind(const void* data, std::int64_t elements, const MaskSource& mask) noexcept {
  const bool bytes = mask.kind == MaskKind::keep || mask.kind == MaskKind::drop;
  return data == nullptr ? nullptr
                         : static_cast<const char*>(data) + elements * (bytes ? 1 : element_bytes(mask.element));
}

}  // namespace

void read_masks(const AttentionInputs& inputs, Tables& tables, Request& request) {
  read_attention_mask(inputs, tables, request);
  read_key_padding(inputs, request);
  read_documents(inputs, request);
}

MaskForm mask_form(const Request& request, std::int64_t batch, std::int64_t head) noexcept {
  MaskForm form;
  fill_mask(request, batch, head, form);
  return form;
}

void fill_mask(const Request& request, std::int64_t batch, std::int64_t head, MaskForm& form) noexcept {
  const Sequence& q = request.sequence(batch);
  form.num_planes = 0;
  form.key_end = q.key_end;
  form.first_offset = request.left == MaskForm::open ? -MaskForm::open : q.offset - request.left;
  form.last_offset = request.right == MaskForm::open ? MaskForm::open : q.offset + request.right;
  for (int m = 0; m < request.num_masks; ++m) {
    const MaskSource& mask = request.masks[m];
    const std::int64_t offset = batch * mask.batch_stride + head * mask.head_stride;
    form.planes[form.num_planes++] = {behind(mask.data, offset, mask),
                                      mask.query_stride,
                                      mask.key_stride,
                                      mask.kind,
                                      mask.element,
                                      behind(mask.query_ids, batch * mask.query_batch_stride, mask),
                                      nullptr};
  }
}

}  // namespace headwise::runtime
