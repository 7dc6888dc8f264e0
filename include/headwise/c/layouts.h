/* Layers in weight files: the families that store them, and the check that a file can keep beside one. */
#ifndef HEADWISE_C_LAYOUTS_H
#define HEADWISE_C_LAYOUTS_H

#include "headwise/c/weights.h"

/* Every layer of a file that a known family explains, ordered by the numbers in their names, then by name. */
typedef struct headwise_layers headwise_layers;
HEADWISE_C_API headwise_status headwise_find_layers(const headwise_file* file, headwise_layers** layers);
/* The layers among which these options choose: headwise_load_options.layer is the index of one of them. config.json
 * decides between families where names and shapes leave it open. options may be NULL. The error of
 * headwise_weights_from_file when there is none. */
HEADWISE_C_API headwise_status headwise_find_layers_for(const headwise_file* file, const headwise_load_options* options,
                                                        headwise_layers** layers);
HEADWISE_C_API void headwise_layers_free(headwise_layers* layers);
HEADWISE_C_API headwise_status headwise_layers_count(const headwise_layers* layers, int64_t* count);

typedef struct headwise_layer_info {
  size_t struct_size;
  int64_t index;      /* position in the file's own order of layers */
  const char* family; /* as headwise_family_get names it; "map" for a layer of name_map; "" when open */
  const char* prefix; /* what stands before the family's own names, "encoder.layer.0.attention." */
  int64_t num_parts;
  /* With family "": the families that store a layer under these names and shapes. */
  int64_t num_candidates;
  /* What the shapes tell, whatever the layout; all 0 when they do not fit each other or the family is open. */
  uint64_t model_width;
  uint64_t query_width; /* this and the next two: of all heads together */
  uint64_t key_width;
  uint64_t value_width;
  uint64_t output_width;
  uint64_t num_heads; /* where the file tells it, else 0 */
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
/* candidate: 0 to num_candidates − 1. */
HEADWISE_C_API headwise_status headwise_layers_candidate(const headwise_layers* layers, int64_t index,
                                                         int64_t candidate, const char** family);

/* One row of the table of layouts, in words. */
typedef struct headwise_family_info {
  size_t struct_size;
  const char* family;  /* what headwise_load_options.family takes; a family may have several rows */
  const char* models;  /* who stores layers so, "bert, roberta, electra" */
  const char* tensors; /* the names of its matrices behind the prefix, "self.query, self.key, …" */
  const char* storage; /* how they are stored, "[in, out], query, key and value side by side" */
  const char* refusal; /* why a layer of this family is not loaded; "" when it is */
} headwise_family_info;
HEADWISE_C_API headwise_status headwise_family_count(int64_t* count);
/* In the order in which the loader prefers them. The texts stay for good. */
HEADWISE_C_API headwise_status headwise_family_get(int64_t index, headwise_family_info* info);

/* Square matrices load without an error however they are transposed or ordered. So a file can keep sums of what a layer
 * computes from fixed inputs, as one entry of its metadata; loading computes them again and refuses a layer that gives
 * others. They speak of the tensors and of the number of heads, not of scale, positions or soft-cap. This is the entry
 * for a layer, which must not be pruned yet; headwise_store_layer makes it too. */
typedef struct headwise_check headwise_check;
HEADWISE_C_API headwise_status headwise_check_create(const headwise_weights* weights, const char* prefix,
                                                     headwise_check** check);
HEADWISE_C_API void headwise_check_free(headwise_check* check);
HEADWISE_C_API headwise_status headwise_check_get(const headwise_check* check, headwise_note* note);
/* Is there a check for this layer? */
HEADWISE_C_API headwise_status headwise_has_stored_check(const headwise_file* file, const char* prefix, int32_t* has);
/* HEADWISE_BAD_FILE when the layer is another one than was checked, or when the text is damaged or there is none;
 * HEADWISE_INVALID_ARGUMENT when the weights do not fit their config, as from headwise_check_create. */
HEADWISE_C_API headwise_status headwise_check_stored(const headwise_file* file, const char* prefix,
                                                     const headwise_weights* weights);

#endif
