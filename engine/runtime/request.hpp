// A call after its arguments were checked: sizes, views of one rank, masks in one form. Holds no memory of its own.
#pragma once

#include "attend.hpp"
#include "headwise/attention.hpp"
#include "model.hpp"

namespace headwise::runtime {

struct Sizes {
  std::int64_t batch = 0, heads = 0, kv_heads = 0;
  std::int64_t queries = 0, keys = 0;  // Lq, Lk
  std::int64_t head_dim = 0, value_dim = 0;
};

// A mask tensor with its axes brought to [B, H, Lq, Lk]; a broadcast axis has stride 0. Strides count elements.
struct MaskSource {
  const void* data = nullptr;
  kernels::MaskKind kind = kernels::MaskKind::keep;
  std::int64_t batch_stride = 0, head_stride = 0, query_stride = 0, key_stride = 0;
};

struct Request {
  Sizes sizes;
  bool fused = false;                   // one product serves query, key and value, which are one tensor
  TensorView query, key, value;         // [B, L, width], or [B, H, L, size] without projections
  MutableTensorView output;             // the same
  MutableTensorView attention;          // [B, H, Lq, Lk] or not given
  MutableTensorView average_attention;  // [B, Lq, Lk] or not given
  MaskSource masks[kernels::MaskForm::max_planes];
  int num_masks = 0;
  std::int64_t key_end = 0;  // keys at and past it are dead in every sequence
  std::int64_t causal_offset = kernels::MaskForm::not_causal;
  TensorView key_lengths;  // [B] or not given; every value lies in [0, Lk]
};

// Throws Error naming the argument, what was expected and what was given. Allocates only to say so.
Request make_request(const Model& model, const AttentionInputs& inputs, const AttentionOutputs& outputs);

// masks.cpp
void read_masks(const AttentionInputs& inputs, Request& request);
kernels::MaskForm mask_form(const Request& request, std::int64_t batch, std::int64_t head) noexcept;

// Throws Error(invalid_argument) with `name` in front.
[[noreturn]] void reject(const std::string& name, const std::string& problem);
// There must be memory, and an element's address must be a multiple of its size.
void check_memory(const char* name, const TensorView& view);

}  // namespace headwise::runtime
