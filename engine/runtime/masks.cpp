// Brings every mask to the one form that the kernels know.
#include <string>

#include "request.hpp"

namespace headwise::runtime {

namespace {

using kernels::MaskKind;

MaskKind mask_kind(const char* name, const TensorView& mask, BooleanMask meaning) {
  if (mask.dtype == DType::f32) return MaskKind::additive;
  if (mask.dtype != DType::boolean && mask.dtype != DType::u8) {
    reject(name, std::string("must be bool or f32, not ") + dtype_name(mask.dtype));
  }
  if (meaning == BooleanMask::unspecified) {
    reject(name, "is boolean: say what true means, BooleanMask::keep (may attend) or BooleanMask::drop (is masked)");
  }
  return meaning == BooleanMask::keep ? MaskKind::keep : MaskKind::drop;
}

// The stride of an axis counted from the right, 0 where the mask is broadcast.
std::int64_t broadcast_stride(const char* name, const TensorView& mask, int from_right, std::int64_t size) {
  const int axis = mask.shape.rank() - 1 - from_right;
  if (axis < 0 || mask.shape[axis] == 1) return 0;
  if (mask.shape[axis] != size) {
    reject(name, "has shape " + to_string(mask.shape) + ", whose axis " + std::to_string(axis) + " is neither 1 nor " +
                     std::to_string(size));
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

void read_attention_mask(const AttentionInputs& inputs, Request& request) {
  const TensorView& mask = inputs.attention_mask;
  const char* name = "attention_mask";
  if (!mask.given) return;
  if (mask.shape.rank() < 1 || mask.shape.rank() > 4) {
    reject(name, "has shape " + to_string(mask.shape) + "; expected 1 to 4 axes that broadcast over [B, H, Lq, Lk]");
  }
  const Sizes& sizes = request.sizes;
  check_memory(name, mask);
  const std::int64_t keys = mask_keys(mask, sizes.keys);
  request.key_end = std::min(request.key_end, keys);
  add_mask({mask.data, mask_kind(name, mask, inputs.attention_mask_meaning),
            broadcast_stride(name, mask, 3, sizes.batch), broadcast_stride(name, mask, 2, sizes.heads),
            broadcast_stride(name, mask, 1, sizes.queries), broadcast_stride(name, mask, 0, keys)},
           request);
}

void read_key_padding(const AttentionInputs& inputs, Request& request) {
  const TensorView& mask = inputs.key_padding_mask;
  const char* name = "key_padding_mask";
  if (!mask.given) return;
  const Sizes& sizes = request.sizes;
  const int rank = mask.shape.rank();
  const bool fits = (rank == 1 || rank == 2) && mask.shape[rank - 1] == sizes.keys;
  if (!fits) {
    reject(name, "has shape " + to_string(mask.shape) + "; expected " + to_string({sizes.batch, sizes.keys}));
  }
  check_memory(name, mask);
  add_mask({mask.data, mask_kind(name, mask, inputs.key_padding_meaning), broadcast_stride(name, mask, 1, sizes.batch),
            0, 0, mask.strides[rank - 1]},
           request);
}

std::int64_t length_at(const TensorView& lengths, std::int64_t batch) noexcept {
  const std::int64_t at = batch * lengths.strides[0];
  return lengths.dtype == DType::i64 ? static_cast<const std::int64_t*>(lengths.data)[at]
                                     : static_cast<const std::int32_t*>(lengths.data)[at];
}

void read_key_lengths(const AttentionInputs& inputs, Request& request) {
  const TensorView& lengths = inputs.key_lengths;
  const char* name = "key_lengths";
  if (!lengths.given) return;
  if (lengths.dtype != DType::i32 && lengths.dtype != DType::i64) {
    reject(name, std::string("must be i32 or i64, not ") + dtype_name(lengths.dtype));
  }
  if (lengths.shape != Dims{request.sizes.batch}) {
    reject(name, "has shape " + to_string(lengths.shape) + "; expected " + to_string({request.sizes.batch}));
  }
  check_memory(name, lengths);
  for (std::int64_t b = 0; b < request.sizes.batch; ++b) {
    const std::int64_t length = length_at(lengths, b);
    if (length >= 0 && length <= request.sizes.keys) continue;
    reject(name, "holds " + std::to_string(length) + " for sequence " + std::to_string(b) + "; expected 0 to " +
                     std::to_string(request.sizes.keys));
  }
  request.key_lengths = lengths;
}

void read_causal(const AttentionInputs& inputs, Request& request) {
  if (!inputs.causal) return;
  const std::int64_t difference = request.sizes.keys - request.sizes.queries;
  if (inputs.causal_alignment == CausalAlignment::unspecified && difference != 0) {
    reject("causal", "needs an alignment since Lq = " + std::to_string(request.sizes.queries) +
                         " differs from Lk = " + std::to_string(request.sizes.keys) +
                         ": CausalAlignment::upper_left or CausalAlignment::lower_right");
  }
  request.causal_offset = inputs.causal_alignment == CausalAlignment::lower_right ? difference : 0;
}

}  // namespace

void read_masks(const AttentionInputs& inputs, Request& request) {
  request.key_end = request.sizes.keys;
  read_attention_mask(inputs, request);
  read_key_padding(inputs, request);
  read_key_lengths(inputs, request);
  read_causal(inputs, request);
}

kernels::MaskForm mask_form(const Request& request, std::int64_t batch, std::int64_t head) noexcept {
  kernels::MaskForm form{};
  form.key_end = request.key_end;
  if (request.key_lengths.given) form.key_end = std::min(form.key_end, length_at(request.key_lengths, batch));
  form.causal_offset = request.causal_offset;
  for (int m = 0; m < request.num_masks; ++m) {
    const MaskSource& mask = request.masks[m];
    const std::int64_t offset = batch * mask.batch_stride + head * mask.head_stride;
    const std::int64_t bytes = mask.kind == MaskKind::additive ? 4 : 1;
    form.planes[form.num_planes++] = {static_cast<const char*>(mask.data) + offset * bytes, mask.query_stride,
                                      mask.key_stride, mask.kind};
  }
  return form;
}

}  // namespace headwise::runtime
