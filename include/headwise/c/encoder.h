/* Text encoders of the BERT family. Shapes: B sequences, L layers, H heads, D model width, rows: the tokens of all
 * sequences, one after the other. "ids" and "lengths" are i32 or i64. */
#ifndef HEADWISE_C_ENCODER_H
#define HEADWISE_C_ENCODER_H

#include "headwise/c/files.h"
#include "headwise/c/model.h"
#include "headwise/c/pooling.h"
#include "headwise/c/session.h"

/* The function between the two feed-forward products. */
typedef int32_t headwise_activation;
enum {
  HEADWISE_GELU,      /* x · Φ(x), exact, by erf */
  HEADWISE_GELU_TANH, /* its approximation by tanh */
  HEADWISE_RELU,
  HEADWISE_SILU /* x / (1 + exp(−x)) */
};

/* A model ready to run: packed weights, chosen kernels. Immutable; threads share it. */
typedef struct headwise_encoder headwise_encoder;

typedef struct headwise_encoder_options {
  size_t struct_size;
  const char* isa;                   /* as headwise_model_options.isa */
  int32_t head_contribution;         /* flag: the models of headwise_encoder_attention can tell it */
  headwise_allocator allocator;      /* of the packed weights and tables; all NULL: the system's */
  const headwise_open_options* open; /* or NULL; progress counts the bytes of all tensors */
} headwise_encoder_options;

/* Loads a folder with config.json and weights (model.safetensors, or a shard index), as Hugging Face saves it.
 * model_type is bert, roberta, xlm-roberta, camembert, distilbert, or electra whose embeddings have the model's width.
 * options may be NULL. HEADWISE_IO when a file cannot be read, HEADWISE_BAD_FILE when one breaks its format or they
 * contradict each other, HEADWISE_UNSUPPORTED for another kind of model or an ISA that the CPU lacks. */
HEADWISE_C_API headwise_status headwise_encoder_load(const char* folder, const headwise_encoder_options* options,
                                                     headwise_encoder** encoder);
/* One more handle on the same packed weights. */
HEADWISE_C_API headwise_status headwise_encoder_share(const headwise_encoder* encoder, headwise_encoder** shared);
/* Sessions made of it stay good: the last handle or session frees the weights. */
HEADWISE_C_API void headwise_encoder_free(headwise_encoder* encoder);

/* What config.json and the tensors say. */
typedef struct headwise_encoder_config {
  size_t struct_size;
  const char* family; /* "bert", "roberta" or "distilbert"; belongs to the handle */
  int64_t num_layers;
  int64_t model_dim; /* D */
  int64_t num_heads;
  int64_t hidden_dim; /* of the feed-forward step */
  int64_t vocabulary_size;
  int64_t max_positions;   /* rows of the table of positions */
  int64_t num_token_types; /* 0: the model knows none */
  int64_t first_position;  /* of a sequence's first token; RoBERTa: pad_token_id + 1, and that token itself has position
                              pad_token_id and is not counted */
  int64_t max_length;      /* the most tokens of a sequence, special ones included */
  double layer_norm_epsilon;
  headwise_activation activation;
} headwise_encoder_config;
HEADWISE_C_API headwise_status headwise_encoder_get_config(const headwise_encoder* encoder,
                                                           headwise_encoder_config* config);
/* The ISA whose kernels run, for example "avx512". The text stays for good. */
HEADWISE_C_API headwise_status headwise_encoder_isa(const headwise_encoder* encoder, const char** isa);
/* The attention of one layer, alone, as a handle of its own on the same weights: for what a session can tell beyond
 * headwise_encoder_outputs. Its query, key and value are hidden_states[layer]. */
HEADWISE_C_API headwise_status headwise_encoder_attention(const headwise_encoder* encoder, int64_t layer,
                                                          headwise_model** model);

/* A batch without padding: every token of a sequence sees all of it and nothing else. Any strides. */
typedef struct headwise_encoder_inputs {
  size_t struct_size;
  const headwise_view* token_ids; /* ids [rows], each at least 0 and below vocabulary_size */
  /* [B + 1] numbers that start at 0, never fall and end at rows; sequence b owns the rows from cumulative_lengths[b] to
   * cumulative_lengths[b + 1]. NULL: one sequence. None may be longer than max_length. */
  const headwise_view* cumulative_lengths;
  const headwise_view* token_types;   /* ids [rows], below num_token_types; NULL: all 0 */
  const headwise_cancel_flag* cancel; /* ends the call when it is set; or NULL */
} headwise_encoder_inputs;

/* Where results go; at least one must be given. Floats are f32, f16 or bf16. Outputs must not overlap the inputs or
 * each other; any strides, but no stride of 0 on an axis longer than 1. */
typedef struct headwise_encoder_outputs {
  size_t struct_size;
  const headwise_mutable_view* hidden;        /* [rows, D]: what the last layer gives */
  const headwise_mutable_view* hidden_states; /* [L + 1, rows, D]: the embeddings, then what each layer gives */
  /* [L, B, H, longest, longest]: the weights of each head; rows and keys past a sequence's own length are 0. */
  const headwise_mutable_view* attention;
  /* [B, D]: pooled from the last layer; zeros for a sequence without tokens. */
  const headwise_mutable_view* embedding;
  headwise_pooling pooling;
  int32_t normalize; /* flag: embedding divided by its Euclidean norm, or by 1e-12 where that is smaller */
} headwise_encoder_outputs;

/* Scratch memory and a thread count, as headwise_session. */
typedef struct headwise_encoder_session headwise_encoder_session;
HEADWISE_C_API headwise_status headwise_encoder_session_create(const headwise_encoder* encoder,
                                                               const headwise_session_options* options,
                                                               headwise_encoder_session** session);
/* Not while a call runs. */
HEADWISE_C_API void headwise_encoder_session_free(headwise_encoder_session* session);
HEADWISE_C_API headwise_status headwise_encoder_session_threads(const headwise_encoder_session* session,
                                                                int32_t* threads);
/* Errors come before anything is written, but for HEADWISE_CANCELLED and HEADWISE_INTERNAL. */
HEADWISE_C_API headwise_status headwise_encoder_session_run(headwise_encoder_session* session,
                                                            const headwise_encoder_inputs* inputs,
                                                            const headwise_encoder_outputs* outputs);
/* What run would do with these arguments, without doing it. A step that every layer has is named once, with what it
 * costs in all layers together. */
HEADWISE_C_API headwise_status headwise_encoder_session_explain(const headwise_encoder_session* session,
                                                                const headwise_encoder_inputs* inputs,
                                                                const headwise_encoder_outputs* outputs,
                                                                headwise_explanation** explanation);

#endif
