/* Keys and values of tokens that were seen before, and what belongs to serving with them. */
#ifndef HEADWISE_C_CACHE_H
#define HEADWISE_C_CACHE_H

#include "headwise/c/weights.h"

/* Keys and values after projection, normalisation and rotation, [B, Hkv, capacity, size]. Token p of a row lies in slot
 * p, or p mod capacity when the cache is circular. */
typedef struct headwise_cache headwise_cache;

typedef struct headwise_cache_options {
  size_t struct_size;
  int64_t batch;                /* rows; 0: 1 */
  int64_t capacity;             /* tokens of a row, at least 1 */
  headwise_dtype dtype;         /* of the storage: f32, f16 or bf16 */
  int32_t circular;             /* flag: a full row forgets its oldest tokens instead of refusing new ones */
  headwise_allocator allocator; /* of keys and values, also of those of a fork; all NULL: the system's */
} headwise_cache_options;

/* Takes num_kv_heads, head_dim and value_dim from config. */
HEADWISE_C_API headwise_status headwise_cache_create(const headwise_config* config,
                                                     const headwise_cache_options* options, headwise_cache** cache);
HEADWISE_C_API void headwise_cache_free(headwise_cache* cache);

typedef struct headwise_cache_info {
  size_t struct_size;
  int64_t batch;
  int64_t capacity;
  headwise_dtype dtype;
  int32_t circular;
} headwise_cache_info;
HEADWISE_C_API headwise_status headwise_cache_info_get(const headwise_cache* cache, headwise_cache_info* info);
/* Tokens appended to a row so far, which is also the position of the next one. */
HEADWISE_C_API headwise_status headwise_cache_length(const headwise_cache* cache, int64_t row, int64_t* length);
/* The position of the oldest token that the row still holds: 0 unless the cache is circular. */
HEADWISE_C_API headwise_status headwise_cache_oldest(const headwise_cache* cache, int64_t row, int64_t* oldest);

/* Appends n tokens to every row: key [B, Hkv, n, head_dim], value [B, Hkv, n, value_dim], f32, f16 or bf16. counts (i32
 * or i64 [B], or NULL) says how many of the n each row takes. Nothing is written when a row would overflow. */
HEADWISE_C_API headwise_status headwise_cache_append(headwise_cache* cache, const headwise_view* key,
                                                     const headwise_view* value, const headwise_view* counts);
/* Forgets the tokens of a row at and past position `length`, which must be held or be the next one. */
HEADWISE_C_API headwise_status headwise_cache_truncate(headwise_cache* cache, int64_t row, int64_t length);
/* Forgets the last `count` tokens of a row. */
HEADWISE_C_API headwise_status headwise_cache_roll_back(headwise_cache* cache, int64_t row, int64_t count);
HEADWISE_C_API headwise_status headwise_cache_clear(headwise_cache* cache);
/* An independent copy of all rows. */
HEADWISE_C_API headwise_status headwise_cache_fork(const headwise_cache* cache, headwise_cache** fork);
/* Row `to` becomes a copy of row `from` (beam search). */
HEADWISE_C_API headwise_status headwise_cache_copy_row(headwise_cache* cache, int64_t from, int64_t to);
/* [B, Hkv, capacity, head_dim] and [B, Hkv, capacity, value_dim], row-major. */
HEADWISE_C_API headwise_status headwise_cache_keys(const headwise_cache* cache, headwise_view* keys);
HEADWISE_C_API headwise_status headwise_cache_values(const headwise_cache* cache, headwise_view* values);

/* Writes the rows of update [B, …, n, size] into cache [B, …, capacity, size], which the caller owns, from row
 * write_indices[b] on (i32 or i64 [B]; NULL: 0), modulo the capacity when circular (a flag). Both have one dtype. */
HEADWISE_C_API headwise_status headwise_scatter_rows(const headwise_mutable_view* cache, const headwise_view* update,
                                                     const headwise_view* write_indices, int32_t circular);

/* What a run over one slice of the keys left: its context […, dv] and log_sum_exp […] (f32 or f64). */
typedef struct headwise_partial {
  const headwise_view* context;
  const headwise_view* log_sum_exp;
} headwise_partial;
/* The result over all keys, in double; the order of the slices counts in the last bits. slices: [count]. log_sum_exp
 * may be NULL. A row whose log_sum_exp is −inf saw no key and counts for nothing. Outputs must not overlap the slices.
 */
HEADWISE_C_API headwise_status headwise_merge_partials(const headwise_partial* slices, int64_t count,
                                                       const headwise_mutable_view* context,
                                                       const headwise_mutable_view* log_sum_exp);

#endif
