/* A layer ready to run: packed weights, chosen kernels. Immutable; threads share it. */
#ifndef HEADWISE_C_MODEL_H
#define HEADWISE_C_MODEL_H

#include "headwise/c/weights.h"

typedef struct headwise_model headwise_model;

typedef struct headwise_model_options {
  size_t struct_size;
  /* The kernels: "avx512", "avx2", "sse2", "neon64", "reference"; NULL or "" reads HEADWISE_ISA, then is "auto". */
  const char* isa;
  int32_t self_attention_only;  /* flag: query, key and value will always be one tensor; may save memory */
  int32_t head_contribution;    /* flag: keep what headwise_outputs.head_contribution needs */
  headwise_allocator allocator; /* of the packed weights; all NULL: the system's */
} headwise_model_options;

/* The weights may be freed afterwards. options may be NULL. HEADWISE_INVALID_ARGUMENT when weights and config disagree,
 * HEADWISE_UNSUPPORTED when the CPU lacks the ISA. */
HEADWISE_C_API headwise_status headwise_model_create(const headwise_weights* weights,
                                                     const headwise_model_options* options, headwise_model** model);
/* Attention alone (scaled dot-product attention), with weights that hold a config and no matrix or bias: inputs are
 * [B, H, Lq, d], [B, Hkv, Lk, d], [B, Hkv, Lk, dv], the output is [B, H, Lq, dv]; ragged batches are [1, H, ΣL, d].
 * With the ISA "reference" all of them may be f64, and all arithmetic is. */
HEADWISE_C_API headwise_status headwise_model_without_projections(const headwise_weights* weights,
                                                                  const headwise_model_options* options,
                                                                  headwise_model** model);
/* One more handle on the same packed weights. */
HEADWISE_C_API headwise_status headwise_model_share(const headwise_model* model, headwise_model** shared);
/* Sessions made of it stay good: the last handle or session frees the weights. */
HEADWISE_C_API void headwise_model_free(headwise_model* model);
HEADWISE_C_API headwise_status headwise_model_config(const headwise_model* model, headwise_config* config);
/* The ISA whose kernels run, for example "avx512". The text stays for good. */
HEADWISE_C_API headwise_status headwise_model_isa(const headwise_model* model, const char** isa);

#endif
