/* Running a model. Shapes: B batch, H query heads, Hkv key/value heads, Lq and Lk lengths, D model width, d and dv head
 * sizes. "lengths" and "ids" are i32 or i64. */
#ifndef HEADWISE_C_SESSION_H
#define HEADWISE_C_SESSION_H

#include "headwise/c/cache.h"
#include "headwise/c/model.h"

/* What "true" says in a boolean mask. It is never guessed. */
typedef int32_t headwise_mask_meaning;
enum {
  HEADWISE_MASK_UNSPECIFIED,
  HEADWISE_MASK_KEEP, /* true: the query may attend to the key (ONNX, SDPA, Keras) */
  HEADWISE_MASK_DROP  /* true: the key is masked (torch nn.MultiheadAttention) */
};

/* Where the queries stand among the keys: query i has position i + offset and key j has position j. */
typedef int32_t headwise_alignment;
enum {
  HEADWISE_ALIGN_UNSPECIFIED, /* offset 0, or the tokens that the cache held before; with `causal` only when Lq == Lk or
                                 there is a cache */
  HEADWISE_ALIGN_UPPER_LEFT,  /* offset 0 (torch, Keras, JAX) */
  HEADWISE_ALIGN_LOWER_RIGHT  /* offset Lk − Lq, of the lengths where those are given (FlashAttention) */
};

/* Keys that a query sees: from its own position − left to its position + right, both included; −1 leaves a side open.
 */
typedef struct headwise_window {
  int64_t left;
  int64_t right;
} headwise_window;

/* What ends a call from another thread. It must outlive the calls that got it. */
typedef struct headwise_cancel_flag headwise_cancel_flag;
HEADWISE_C_API headwise_status headwise_cancel_flag_create(headwise_cancel_flag** flag);
HEADWISE_C_API void headwise_cancel_flag_free(headwise_cancel_flag* flag);
/* Safe at any time from any thread, and in a signal handler; NULL does nothing. It stays set until it is cleared. */
HEADWISE_C_API void headwise_cancel_flag_set(headwise_cancel_flag* flag);
HEADWISE_C_API void headwise_cancel_flag_clear(headwise_cancel_flag* flag);
HEADWISE_C_API int32_t headwise_cancel_flag_is_set(const headwise_cancel_flag* flag);

typedef struct headwise_inputs {
  size_t struct_size;
  const headwise_view* query; /* f32, f16 or bf16 [B, Lq, D] or [Lq, D]; without projections see model.h */
  const headwise_view*
      key; /* [B, Lk, key_input_dim], of the query's dtype; with a cache the new tokens only, or NULL */
  const headwise_view* value; /* [B, Lk, value_input_dim] */
  /* bool (or u8: nonzero is true), or floats added after the scale with −inf for a dead key; broadcast from the right
   * over [B, H, Lq, Lk]. A last axis shorter than Lk (and not 1) leaves the keys past it dead. */
  const headwise_view* attention_mask;
  headwise_mask_meaning attention_mask_meaning;
  headwise_mask_meaning key_padding_meaning;
  const headwise_view* key_padding_mask; /* bool or floats [B, Lk] or [Lk] */
  const headwise_view* key_lengths;      /* [B]: keys at and past the length are dead */
  const headwise_view* query_lengths;    /* [B]: rows at and past the length become zeros */
  int32_t causal;                        /* flag: a query sees no key past its own position */
  headwise_alignment causal_alignment;
  const headwise_view* query_offsets;   /* [B]: the offset of each row instead of an alignment */
  const headwise_window* window;        /* NULL: open on both sides */
  const headwise_view* query_documents; /* ids [B, Lq] or [Lq]: a query sees its own document only */
  const headwise_view* key_documents;   /* ids [B, Lk] or [Lk] */
  /* Ragged batch: the tokens of all sequences lie one after the other; sequence b owns the rows from cumulative[b] to
   * cumulative[b + 1]. [B + 1] numbers that start at 0 and never fall. */
  const headwise_view* cumulative_query_lengths;
  const headwise_view* cumulative_key_lengths;
  const headwise_view* head_gate; /* f32 [H] or [B, H]: the context of a head is multiplied by it; 0 skips its work */
  const headwise_view* heads;     /* ids [n]: only these heads take part */
  const headwise_view* position_ids;     /* ids [B, Lq] or [Lq]: for the rotary embedding instead of i + offset */
  const headwise_view* key_position_ids; /* ids [B, Lk] or [Lk] of the key rows given */
  const headwise_view* rotary_cos;       /* f32 [positions, rotary.dim/2]: instead of the computed angles */
  const headwise_view* rotary_sin;
  /* The queries see what it holds, and behind that `key` and `value`, which are appended for good. */
  headwise_cache* cache;
  /* Set, it ends the call with HEADWISE_CANCELLED within some milliseconds. Outputs are incomplete; session and cache
   * stay good, lengths are as before, but a circular cache may have forgotten what the new tokens would have displaced.
   */
  const headwise_cancel_flag* cancel;
} headwise_inputs;

/* What `scores` holds. */
typedef int32_t headwise_score_stage;
enum {
  HEADWISE_SCORES_SCALED, /* scale · q·k */
  HEADWISE_SCORES_CAPPED, /* after the soft-cap */
  HEADWISE_SCORES_MASKED  /* after position bias and masks; −inf where the key is dead */
};

/* Where results go. Only the first is needed. They must not overlap the inputs or each other; no stride of 0 on an axis
 * longer than 1. Asking for more changes no bit of the output. Lk counts cached and extra keys. Floats are f32, f16 or
 * bf16, in an f64 call f64. For an unbatched query the axis B may be missing everywhere. */
typedef struct headwise_outputs {
  size_t struct_size;
  const headwise_mutable_view* output;            /* [B, Lq, output_dim], or [Lq, output_dim] */
  const headwise_mutable_view* attention;         /* [B, H, Lq, Lk]: the weights of each head */
  const headwise_mutable_view* average_attention; /* [B, Lq, Lk]: their mean over the heads */
  const headwise_view* attention_heads;   /* ids [n]: attention and scores hold only these heads, [B, n, Lq, Lk] */
  const headwise_view* attention_queries; /* ids [n]: only these query rows, [B, H, n, Lk] */
  const headwise_mutable_view*
      top_weights;                       /* [B, H, Lq, k]: the k largest of each row, falling; ties: lower key first */
  const headwise_mutable_view* top_keys; /* i32 or i64 [B, H, Lq, k]: their keys; −1 when none is above 0 any more */
  const headwise_mutable_view* scores;   /* [B, H, Lq, Lk] */
  headwise_score_stage score_stage;
  const headwise_mutable_view* log_sum_exp;  /* f32 or f64 [B, H, Lq]: ln Σ exp(score) */
  const headwise_mutable_view* column_sums;  /* [B, H, Lk]: the weights summed over the queries */
  const headwise_mutable_view* head_context; /* [B, H, Lq, value_dim]: what each head gives to the output product */
  const headwise_mutable_view* head_contribution; /* [B, H, Lq, output_dim]: its part of the output */
} headwise_outputs;

/* How the work is laid over threads. */
typedef int32_t headwise_schedule;
enum {
  HEADWISE_SCHEDULE_AUTOMATIC,
  HEADWISE_SCHEDULE_WIDE, /* one step at a time, all threads inside it */
  HEADWISE_SCHEDULE_DEEP  /* each thread carries a few sequences through all steps */
};

#define HEADWISE_MAX_THREADS 1024

/* A fixed number of threads for all sessions that name it; see executor.hpp. Safe to share between threads. */
typedef struct headwise_executor headwise_executor;
/* threads: with the caller's; 0: headwise_default_threads(). Starts fewer when the system has no more of them. */
HEADWISE_C_API headwise_status headwise_executor_create(int32_t threads, headwise_executor** executor);
HEADWISE_C_API headwise_status headwise_executor_threads(const headwise_executor* executor, int32_t* threads);
/* Sessions made with it keep its threads. */
HEADWISE_C_API void headwise_executor_free(headwise_executor* executor);

typedef struct headwise_session_options {
  size_t struct_size;
  int32_t threads; /* 0: headwise_default_threads(), or all of the executor's */
  headwise_schedule schedule;
  const headwise_executor* executor; /* threads that sessions share; NULL: each calling thread has OpenMP's */
  headwise_allocator allocator;      /* of the scratch memory; all NULL: the system's */
} headwise_session_options;

/* Scratch memory and a thread count. Scratch grows by need and is reused: a call with the shapes of an earlier one
 * allocates nothing (oneDNN, where it multiplies, does). */
typedef struct headwise_session headwise_session;
HEADWISE_C_API headwise_status headwise_session_create(const headwise_model* model,
                                                       const headwise_session_options* options,
                                                       headwise_session** session);
/* Not while a call runs. */
HEADWISE_C_API void headwise_session_free(headwise_session* session);
HEADWISE_C_API headwise_status headwise_session_threads(const headwise_session* session, int32_t* threads);

/* Errors come before anything is written, but for HEADWISE_CANCELLED and HEADWISE_INTERNAL. */
HEADWISE_C_API headwise_status headwise_session_run(headwise_session* session, const headwise_inputs* inputs,
                                                    const headwise_outputs* outputs);
/* Appends to the cache what run would append, without attending. Only key, value, key_lengths, key_position_ids, the
 * rotary tables and cancel count. */
HEADWISE_C_API headwise_status headwise_session_append(headwise_session* session, headwise_cache* cache,
                                                       const headwise_inputs* inputs);

/* What run would do with these arguments, without doing it. */
typedef struct headwise_explanation headwise_explanation;
HEADWISE_C_API headwise_status headwise_session_explain(const headwise_session* session, const headwise_inputs* inputs,
                                                        const headwise_outputs* outputs,
                                                        headwise_explanation** explanation);
HEADWISE_C_API void headwise_explanation_free(headwise_explanation* explanation);

typedef struct headwise_explanation_info {
  size_t struct_size;
  const char* isa;
  const char* schedule; /* "wide", "deep" or "inline": wide on one thread */
  const char* kernel;   /* "queries in lanes", "few queries", "reference", or the first two by sequence */
  const char* text;     /* all of it in lines for people */
  int64_t num_threads;
  uint64_t scratch_bytes;
  double live_pairs; /* (query, key) pairs of all heads that positions and lengths leave live */
  int64_t num_steps;
  int64_t num_reasons;
} headwise_explanation_info;
HEADWISE_C_API headwise_status headwise_explanation_get(const headwise_explanation* explanation,
                                                        headwise_explanation_info* info);

typedef struct headwise_step_info {
  size_t struct_size;
  const char* name;
  const char* reads;
  const char* writes;
  double flops;
  double bytes;
} headwise_step_info;
HEADWISE_C_API headwise_status headwise_explanation_step(const headwise_explanation* explanation, int64_t index,
                                                         headwise_step_info* info);
/* Why it is not a faster kernel, ISA or schedule. */
HEADWISE_C_API headwise_status headwise_explanation_reason(const headwise_explanation* explanation, int64_t index,
                                                           const char** reason);

#endif
