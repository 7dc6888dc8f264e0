/* Weight files and the one canonical form that every layout is brought to. */
#ifndef HEADWISE_C_WEIGHTS_H
#define HEADWISE_C_WEIGHTS_H

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

/* A weight file whose header is validated in full before anything else is believed. Data is read into owned memory when
 * it is asked for, never mapped. */
typedef struct headwise_file headwise_file;

typedef struct headwise_open_options {
  size_t struct_size;
  int32_t allow_trailing_bytes; /* flag: accept bytes after the last tensor, as some published files have */
  headwise_progress progress;   /* or NULL */
  void* progress_user;
} headwise_open_options;

/* options may be NULL. HEADWISE_IO or HEADWISE_BAD_FILE, naming the rule that the file breaks. */
HEADWISE_C_API headwise_status headwise_file_open(const char* path, const headwise_open_options* options,
                                                  headwise_file** file);
HEADWISE_C_API void headwise_file_free(headwise_file* file);

typedef struct headwise_file_info {
  size_t struct_size;
  const char* path;
  int64_t num_tensors;
  int64_t num_metadata;
} headwise_file_info;
HEADWISE_C_API headwise_status headwise_file_info_get(const headwise_file* file, headwise_file_info* info);

typedef struct headwise_tensor_info {
  size_t struct_size;
  const char* name;
  const char* dtype; /* as the file spells it: "F32", "BF16", … */
  int64_t rank;
  const uint64_t* shape; /* [rank] */
  uint64_t begin, end;   /* of its data, in bytes */
} headwise_tensor_info;
/* index: 0 to num_tensors − 1, in byte order. */
HEADWISE_C_API headwise_status headwise_file_tensor(const headwise_file* file, int64_t index,
                                                    headwise_tensor_info* info);
/* index becomes −1 when there is no such tensor. */
HEADWISE_C_API headwise_status headwise_file_find(const headwise_file* file, const char* name, int64_t* index);
/* An entry of the file's own notes: 0 to num_metadata − 1, by key. */
HEADWISE_C_API headwise_status headwise_file_metadata(const headwise_file* file, int64_t index, const char** key,
                                                      const char** value);
/* A tensor's numbers in the file's type. progress may be NULL: then that of the options of opening is called. */
HEADWISE_C_API headwise_status headwise_file_read(const headwise_file* file, const char* name,
                                                  headwise_progress progress, void* progress_user,
                                                  headwise_tensor** tensor);

/* Every layer of a file that a known family explains, ordered by the numbers in their names, then by name. */
typedef struct headwise_layers headwise_layers;
HEADWISE_C_API headwise_status headwise_find_layers(const headwise_file* file, headwise_layers** layers);
HEADWISE_C_API void headwise_layers_free(headwise_layers* layers);
HEADWISE_C_API headwise_status headwise_layers_count(const headwise_layers* layers, int64_t* count);

typedef struct headwise_layer_info {
  size_t struct_size;
  int64_t index;      /* position in the file's own order of layers */
  const char* family; /* "linear4", "torch_mha", "bert", … */
  const char* prefix; /* what stands before the family's own names, "encoder.layer.0.attention." */
  int64_t num_parts;
} headwise_layer_info;
HEADWISE_C_API headwise_status headwise_layers_get(const headwise_layers* layers, int64_t index,
                                                   headwise_layer_info* info);

typedef struct headwise_layer_part {
  size_t struct_size;
  const char* role;   /* "query_weight", "qkv_weight", "output_bias", "sinks", … */
  const char* tensor; /* its name in the file */
  int64_t rank;
  const uint64_t* shape; /* [rank] */
} headwise_layer_part;
HEADWISE_C_API headwise_status headwise_layers_part(const headwise_layers* layers, int64_t index, int64_t part,
                                                    headwise_layer_part* info);

/* The number of heads that config.json beside a weight file states; 0 when the file or the number is not there. */
HEADWISE_C_API headwise_status headwise_heads_from_config(const char* weight_file, int64_t* num_heads);

/* The weights of one layer in canonical form: [out, in], head h owns the rows h·size … (h+1)·size−1 of the query, key
 * and value matrices. */
typedef struct headwise_weights headwise_weights;

typedef struct headwise_load_options {
  size_t struct_size;
  int64_t layer;               /* index among the layers that prefix and family leave */
  int64_t num_heads;           /* 0: config.json */
  const char* prefix;          /* only layers whose prefix is this */
  const char* family;          /* only layers of this family */
  int32_t allow_missing_bias;  /* flag: a layer with only some of its biases: take the missing ones as zero */
  int32_t ignore_model_config; /* flag: take nothing from config.json beside the file */
  const float* scale;          /* NULL: that of config.json, else 1 for T5, 1/√head_dim for others */
  headwise_empty_rows rows_without_keys;
  const float* softcap;                      /* NULL: that of config.json, else none */
  int32_t add_zero_attention;                /* flag */
  const headwise_rotary_config* rotary;      /* NULL: that of config.json; with dim 0: none whatever it says */
  const headwise_bias_config* position_bias; /* NULL: that of config.json, else that of T5 for its layers */
  const float* norm_epsilon;                 /* NULL: that of config.json, else 1e-6 */
  const int32_t* norm_plus_one;              /* flag: norms are stored less one (Gemma); NULL: as config.json says */
  const int64_t* keep_heads;                 /* [num_keep_heads]: only these heads; NULL: all */
  int64_t num_keep_heads;
  const headwise_open_options* open; /* or NULL; progress counts the bytes of the layer */
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

#endif
