/* Text to token ids, and what a model folder says about sentence embeddings. */
#ifndef HEADWISE_C_TOKENIZER_H
#define HEADWISE_C_TOKENIZER_H

#include "headwise/c/pooling.h"
#include "headwise/c/status.h"

/* BERT's WordPiece with the ids of Hugging Face's fast tokenizer. Immutable: threads share it. */
typedef struct headwise_tokenizer headwise_tokenizer;

/* path: a folder with tokenizer.json, or with vocab.txt and maybe tokenizer_config.json, or one of the first two files.
 * HEADWISE_IO, HEADWISE_BAD_FILE, or HEADWISE_UNSUPPORTED for another kind of tokenizer and without libutf8proc. */
HEADWISE_C_API headwise_status headwise_tokenizer_load(const char* path, headwise_tokenizer** tokenizer);
HEADWISE_C_API void headwise_tokenizer_free(headwise_tokenizer* tokenizer);

typedef struct headwise_tokenizer_info {
  size_t struct_size;
  int64_t vocabulary_size; /* every id is below it */
  int64_t max_length;      /* tokens, special ones too, after which a text is cut */
} headwise_tokenizer_info;
HEADWISE_C_API headwise_status headwise_tokenizer_info_get(const headwise_tokenizer* tokenizer,
                                                           headwise_tokenizer_info* info);
/* As the vocabulary writes it ("##ing"); "" for an id in a gap. A token that holds a NUL seems to end there. */
HEADWISE_C_API headwise_status headwise_tokenizer_token(const headwise_tokenizer* tokenizer, int64_t id,
                                                        const char** token);
/* id becomes −1 when the vocabulary has no such token. */
HEADWISE_C_API headwise_status headwise_tokenizer_find(const headwise_tokenizer* tokenizer, const char* token,
                                                       int64_t* id);

/* UTF-8 of so many bytes, among which may be zeros. Bytes that are no UTF-8 count as U+FFFD. */
typedef struct headwise_text {
  const char* bytes; /* may be NULL when there are none */
  int64_t count;
} headwise_text;

typedef struct headwise_encode_options {
  size_t struct_size;
  int64_t max_length;        /* 0: the tokenizer's */
  int32_t no_special_tokens; /* flag: leave [CLS] and [SEP] out */
  const headwise_text* pair; /* a second text, or NULL */
} headwise_encode_options;

/* One text, or a pair of them, as tokens. */
typedef struct headwise_encoding headwise_encoding;

/* options may be NULL. HEADWISE_INVALID_ARGUMENT when max_length has no room for the special tokens. */
HEADWISE_C_API headwise_status headwise_tokenizer_encode(const headwise_tokenizer* tokenizer, const headwise_text* text,
                                                         const headwise_encode_options* options,
                                                         headwise_encoding** encoding);
HEADWISE_C_API void headwise_encoding_free(headwise_encoding* encoding);

typedef struct headwise_encoding_info {
  size_t struct_size;
  int64_t num_tokens;
  int64_t full_length;        /* tokens before cutting: more than num_tokens when the text was cut */
  const int64_t* ids;         /* [num_tokens], like all of these */
  const int64_t* token_types; /* as the tokenizer's file says: 0 and 1, or 0 for all, as RoBERTa has it */
  const int64_t* starts;      /* bytes of its own text that a token covers, from one up to but without the other; … */
  const int64_t* ends;        /* … 0 and 0 for tokens put in */
  const int64_t* words;       /* which word of its own text, from 0; −1 for tokens put in */
  const int64_t* sequence_ids; /* 0: of the text, 1: of its pair, −1: tokens put in */
} headwise_encoding_info;
HEADWISE_C_API headwise_status headwise_encoding_get(const headwise_encoding* encoding, headwise_encoding_info* info);

/* What the files of sentence-transformers in a model folder say. */
typedef struct headwise_sentence headwise_sentence;

/* A folder without such files has the defaults. HEADWISE_IO, HEADWISE_BAD_FILE, or HEADWISE_UNSUPPORTED for what
 * headwise does not do, such as other ways of pooling. */
HEADWISE_C_API headwise_status headwise_sentence_read(const char* folder, headwise_sentence** sentence);
HEADWISE_C_API void headwise_sentence_free(headwise_sentence* sentence);

/* Beside each setting the file that it comes from; "" when none says it. */
typedef struct headwise_sentence_info {
  size_t struct_size;
  headwise_pooling pooling;
  int32_t normalize; /* flag: embeddings are divided by their Euclidean norm */
  int64_t max_length;
  const char* prompt; /* stands before every text */
  const char* pooling_source;
  const char* normalize_source;
  const char* max_length_source;
  const char* prompt_source;
} headwise_sentence_info;
HEADWISE_C_API headwise_status headwise_sentence_get(const headwise_sentence* sentence, headwise_sentence_info* info);

#endif
