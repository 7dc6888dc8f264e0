/* The weights of a layer in the one canonical form that every layout is brought to. */
#ifndef HEADWISE_C_WEIGHTS_H
#define HEADWISE_C_WEIGHTS_H

#include "headwise/c/files.h"
#include "headwise/c/positions.h"

/* What a query row without a single live key becomes. */
typedef int32_t headwise_empty_rows;
enum {
  HEADWISE_EMPTY_ROWS_ZERO, /* a zero row, zero weights */
  HEADWISE_EMPTY_ROWS_MEAN, /* the mean of all values, equal weights */
  HEADWISE_EMPTY_ROWS_NAN   /* NaN */
};

/* The sizes of one multi-head attention layer. Zero means "derive": num_kv_heads = num_heads, head_dim =
 * model_dim / num_heads, value_dim = head_dim, key_input_dim = value_input_dim = output_dim = model_dim; model_dim
 * itself becomes num_heads · head_dim when only head_dim is given. Read back from a model, all is filled in. */
typedef struct headwise_config {
  size_t struct_size;
  int64_t model_dim; /* width of the query input */
  int64_t num_heads;
  int64_t num_kv_heads;    /* query heads h share key/value head h / (num_heads / num_kv_heads) */
  int64_t head_dim;        /* size of a head of query and key */
  int64_t value_dim;       /* size of a head of value */
  int64_t key_input_dim;   /* width of the key input ("kdim") */
  int64_t value_input_dim; /* width of the value input ("vdim") */
  int64_t output_dim;
  int32_t has_scale; /* flag; 0: scale is 1/√head_dim */
  float scale;
  headwise_empty_rows rows_without_keys;
  float softcap;              /* scores become softcap · tanh(score / softcap) after the scale; 0: they stay */
  int32_t add_zero_attention; /* flag: one more key and value of zeros that every query sees */
  float norm_epsilon;         /* of query_norm and key_norm; 0: 1e-6 */
  const headwise_rotary_config* rotary;      /* NULL: none. Read back, they point into the handle */
  const headwise_bias_config* position_bias; /* NULL: none */
} headwise_config;

/* Fills every zero among the sizes of a config in place, and its scale. HEADWISE_INVALID_ARGUMENT names sizes that do
 * not fit. */
HEADWISE_C_API headwise_status headwise_resolve_config(headwise_config* config);

/* The number of heads that config.json beside a weight file states; 0 when the file or the number is not there. */
HEADWISE_C_API headwise_status headwise_heads_from_config(const char* weight_file, int64_t* num_heads);

/* The weights of one layer in canonical form: [out, in], head h owns the rows h·size … (h+1)·size−1 of the query, key
 * and value matrices. */
typedef struct headwise_weights headwise_weights;

/* When the check that a file keeps beside a layer (see layouts.h) is made. */
typedef int32_t headwise_stored_check;
enum {
  HEADWISE_CHECK_WHEN_PRESENT,
  HEADWISE_CHECK_REQUIRED, /* a layer without one is refused */
  HEADWISE_CHECK_OFF
};

typedef struct headwise_load_options {
  size_t struct_size;
  int64_t layer;              /* index among the layers that prefix and family leave */
  int64_t num_heads;          /* 0: as stored, else name_map, else config.json */
  const char* prefix;         /* only layers whose prefix is this */
  const char* family;         /* only layers of this family */
  int32_t allow_missing_bias; /* flag: a layer with only some of its biases: take the missing ones as zero */
  /* Flag: take nothing from the settings that headwise_store_layer has put into the file, nor, where it has none, from
   * config.json beside it. Both are "the model's" below. */
  int32_t ignore_model_config;
  const float* scale;                           /* NULL: the model's, else 1 for T5, 1/√head_dim for others */
  const headwise_empty_rows* rows_without_keys; /* NULL: the settings', else zero rows */
  const float* softcap;                         /* NULL: the model's, else none */
  int32_t add_zero_attention;                   /* flag; 0: as the settings have it */
  const headwise_rotary_config* rotary;         /* NULL: the model's; with dim 0: none whatever it says */
  const headwise_bias_config* position_bias;    /* NULL: the model's, else that of T5 for its layers */
  const float* norm_epsilon;                    /* NULL: the model's, else 1e-6 */
  const int32_t* norm_plus_one;                 /* flag: norms are stored less one (Gemma); NULL: as the model says */
  const int64_t* keep_heads;                    /* [num_keep_heads]: only these heads; NULL: all */
  int64_t num_keep_heads;
  const headwise_open_options* open; /* or NULL; progress counts the bytes of the layer */
  /* Path of a JSON file that says which tensor is which matrix, for names that no family explains (docs/weights.md).
   * With it neither prefix nor family may be given. NULL: none. */
  const char* name_map;
  headwise_stored_check stored_check;
} headwise_load_options;

/* Loads one layer. options may be NULL. Errors name the tensor, what was expected and what was found. */
HEADWISE_C_API headwise_status headwise_weights_load(const char* path, const headwise_load_options* options,
                                                     headwise_weights** weights);
HEADWISE_C_API headwise_status headwise_weights_from_file(const headwise_file* file,
                                                          const headwise_load_options* options,
                                                          headwise_weights** weights);
/* Drawn from U(−1/√in, 1/√in), biases included; the same numbers for the same seed on every machine. */
HEADWISE_C_API headwise_status headwise_weights_random(const headwise_config* config, uint64_t seed,
                                                       headwise_weights** weights);

/* The tensors of a layer, f32, f16 or bf16. Only the four weights are needed, and none of them without projections. */
typedef int32_t headwise_part;
enum {
  HEADWISE_QUERY_WEIGHT,  /* [num_heads·head_dim, model_dim] */
  HEADWISE_KEY_WEIGHT,    /* [num_kv_heads·head_dim, key_input_dim] */
  HEADWISE_VALUE_WEIGHT,  /* [num_kv_heads·value_dim, value_input_dim] */
  HEADWISE_OUTPUT_WEIGHT, /* [output_dim, num_heads·value_dim] */
  HEADWISE_QUERY_BIAS,    /* the rows of its weight, as the other biases */
  HEADWISE_KEY_BIAS,
  HEADWISE_VALUE_BIAS,
  HEADWISE_OUTPUT_BIAS,
  HEADWISE_QUERY_NORM,    /* [head_dim]: x · w / √(mean(x²) + norm_epsilon) of each head, before rotation */
  HEADWISE_KEY_NORM,      /* [head_dim] */
  HEADWISE_SINKS,         /* [num_heads]: a logit per head that takes probability but has no value */
  HEADWISE_BIAS_KEY,      /* [num_kv_heads·head_dim]: one more key that every query sees, with BIAS_VALUE */
  HEADWISE_BIAS_VALUE,    /* [num_kv_heads·value_dim] */
  HEADWISE_RELATIVE_BIAS, /* [buckets, num_heads] of HEADWISE_BIAS_T5 */
  HEADWISE_ALIBI_SLOPES,  /* [num_heads]: instead of the slopes that position_bias gives */
  HEADWISE_NUM_PARTS
};

/* Weights of the caller's own: none at first, then one headwise_weights_set for each part. */
HEADWISE_C_API headwise_status headwise_weights_create(const headwise_config* config, headwise_weights** weights);
/* Copies a tensor of any strides. NULL takes the part away. Shapes are checked when a model is made. Not while another
 * thread uses these weights. */
HEADWISE_C_API headwise_status headwise_weights_set(headwise_weights* weights, headwise_part part,
                                                    const headwise_view* tensor);
/* A part as it lies in memory, until it is set anew; data is NULL and rank 0 where the layer has none. */
HEADWISE_C_API headwise_status headwise_weights_get(const headwise_weights* weights, headwise_part part,
                                                    headwise_view* tensor);
HEADWISE_C_API headwise_status headwise_weights_config(const headwise_weights* weights, headwise_config* config);
/* The layer without the heads that are not listed; they keep their order, sizes and scale. heads: [count]. */
HEADWISE_C_API headwise_status headwise_keep_heads(const headwise_weights* weights, const int64_t* heads, int64_t count,
                                                   headwise_weights** kept);
HEADWISE_C_API void headwise_weights_free(headwise_weights* weights);

/* How a layer is to be stored. */
typedef struct headwise_storage {
  size_t struct_size;
  /* As headwise_family_get names it, or a model_type that one of its rows serves ("llama"); NULL: "linear4". */
  const char* family;
  /* [num_matrices] names behind the prefix that a row of the family must have, "q_proj.weight"; of those that do, the
   * one of fewest tensors that can hold the layer is taken. */
  const char* const* matrices;
  int64_t num_matrices;
  const char* prefix;   /* before the family's own names; a dot is added where neither "." nor "/" ends it */
  headwise_dtype dtype; /* f32, f16, bf16 or f64; rounds to nearest even, what is too large becomes infinite */
} headwise_storage;

/* The tensors of a layer as a family stores them: loading the other way round, with the same bits where dtype is f32.
 * If a layer has only some biases, the others are zeros; norms are stored as they multiply. */
typedef struct headwise_stored_layer headwise_stored_layer;
/* storage may be NULL. HEADWISE_INVALID_ARGUMENT for a family that is not known or has no place for a part of the
 * layer, and for weights that do not fit their config. */
HEADWISE_C_API headwise_status headwise_store_layer(const headwise_weights* weights, const headwise_storage* storage,
                                                    headwise_stored_layer** stored);
HEADWISE_C_API void headwise_stored_layer_free(headwise_stored_layer* stored);

typedef struct headwise_stored_layer_info {
  size_t struct_size;
  const char* family; /* as they were chosen */
  const char* prefix;
  int64_t num_tensors;
  int64_t num_metadata;
} headwise_stored_layer_info;
HEADWISE_C_API headwise_status headwise_stored_layer_get(const headwise_stored_layer* stored,
                                                         headwise_stored_layer_info* info);
/* By name. What the tensors point to belongs to `stored`. */
HEADWISE_C_API headwise_status headwise_stored_layer_tensor(const headwise_stored_layer* stored, int64_t index,
                                                            headwise_named_view* tensor);
/* What tensors cannot tell (heads, scale, positions, …), which loading takes before config.json, and the check of the
 * layer's numbers: both for headwise_save_safetensors. */
HEADWISE_C_API headwise_status headwise_stored_layer_metadata(const headwise_stored_layer* stored, int64_t index,
                                                              const char** key, const char** value);

#endif
