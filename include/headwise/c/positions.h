/* How positions enter attention: rotary embedding (RoPE), ALiBi and T5 relative position bias. */
#ifndef HEADWISE_C_POSITIONS_H
#define HEADWISE_C_POSITIONS_H

#include "headwise/c/tensor.h"

typedef int32_t headwise_rotary_layout;
enum {
  HEADWISE_ROTARY_HALF_SPLIT, /* components i and i + dim/2 turn together (Hugging Face files, GPT-NeoX) */
  HEADWISE_ROTARY_INTERLEAVED /* 2i and 2i + 1 (the original paper, Meta's own files, GPT-J) */
};

typedef int32_t headwise_rotary_scaling;
enum {
  HEADWISE_SCALING_NONE,
  HEADWISE_SCALING_LINEAR, /* positions divided by factor */
  HEADWISE_SCALING_NTK,    /* base · factor^(dim / (dim − 2)) */
  HEADWISE_SCALING_YARN,   /* blends both by wavelength and scales the magnitude */
  HEADWISE_SCALING_LLAMA3  /* long wavelengths divided by factor, short ones kept, smooth in between */
};

/* Component pair i of a query or key turns by position · base^(−2i/dim) (Su et al. 2021). */
typedef struct headwise_rotary_config {
  size_t struct_size;
  int64_t dim; /* leading components of each head that turn: even, ≤ head_dim; 0: no rotary embedding */
  headwise_rotary_layout layout;
  headwise_rotary_scaling scaling;
  double base;                  /* 0: 10000 */
  double factor;                /* of every scaling; 0: 1 */
  int64_t original_positions;   /* yarn, llama3: the length that the model was trained with */
  double low_frequency_factor;  /* llama3; 0: 1 */
  double high_frequency_factor; /* llama3; 0: 4 */
  double beta_fast;             /* yarn: turns at which the blend starts; 0: 32 */
  double beta_slow;             /* yarn: and ends; 0: 1 */
  double attention_factor;      /* yarn: of the magnitude; 0: 0.1·ln(factor) + 1 */
} headwise_rotary_config;

typedef int32_t headwise_position_bias;
enum {
  HEADWISE_BIAS_NONE,
  HEADWISE_BIAS_ALIBI, /* −slope · |distance| (Press et al. 2021) */
  HEADWISE_BIAS_T5     /* a learned number for each bucket of distances and head (Raffel et al. 2019) */
};

/* Slopes for head counts that are no power of two. */
typedef int32_t headwise_alibi_scheme;
enum {
  HEADWISE_ALIBI_INTERLEAVED, /* those of the power of two below, then every second one of its double */
  HEADWISE_ALIBI_GEOMETRIC    /* 2^(−alibi_max · (h + 1) / H) for any H */
};

typedef struct headwise_bias_config {
  size_t struct_size;
  headwise_position_bias kind;
  headwise_alibi_scheme slopes;
  double alibi_max;       /* slopes reach 2^−alibi_max; 0: 8 */
  int32_t unidirectional; /* flag; t5: no buckets for keys after the query; 0: half of them are */
  int64_t max_distance;   /* t5: farther keys share the last bucket; 0: 128 */
} headwise_bias_config;

/* The angle of one position step for each of the dim/2 pairs, after scaling. count: numbers that fit behind
 * `frequencies`, at least dim/2. */
HEADWISE_C_API headwise_status headwise_rotary_frequencies(const headwise_rotary_config* config, int64_t count,
                                                           double* frequencies);
/* What cos and sin are multiplied by: 1 but for yarn. */
HEADWISE_C_API headwise_status headwise_rotary_magnitude(const headwise_rotary_config* config, double* magnitude);

typedef struct headwise_rotary_inputs {
  size_t struct_size;
  const headwise_view* input;        /* f32, f16, bf16 or f64 [B, H, L, d] */
  const headwise_view* cos;          /* floats [positions, dim/2] looked up by position_ids, or [B, L, dim/2] */
  const headwise_view* sin;          /* as cos */
  const headwise_view* position_ids; /* i32 or i64 [B, L] or [L], or NULL */
  headwise_rotary_layout layout;
} headwise_rotary_inputs;

/* Turns the first dim components of every row and copies the others. output: shape and dtype of the input; it may be
 * the input itself, but not overlap it otherwise. */
HEADWISE_C_API headwise_status headwise_apply_rotary(const headwise_rotary_inputs* inputs,
                                                     const headwise_mutable_view* output);

/* ALiBi's slopes of all heads. max: 0 stands for 8. count: numbers that fit behind `slopes`, at least num_heads. */
HEADWISE_C_API headwise_status headwise_alibi_slopes(int64_t num_heads, headwise_alibi_scheme scheme, double max,
                                                     int64_t count, float* slopes);
/* The bucket of a key that stands `distance` = key position − query position away. */
HEADWISE_C_API headwise_status headwise_t5_bucket(int64_t distance, int64_t num_buckets,
                                                  const headwise_bias_config* config, int64_t* bucket);

#endif
