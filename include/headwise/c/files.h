/* Files of named tensors, in and out. */
#ifndef HEADWISE_C_FILES_H
#define HEADWISE_C_FILES_H

#include "headwise/c/tensor.h"

/* The named tensors of a .safetensors file, of a shard index (….index.json), of an .npz file, or of a folder with
 * model.safetensors or model.safetensors.index.json. Names, types, sizes and places are validated in full before
 * anything else is believed. Data is read into owned memory when it is asked for, never mapped. */
typedef struct headwise_file headwise_file;

typedef struct headwise_open_options {
  size_t struct_size;
  int32_t allow_trailing_bytes; /* flag: accept bytes after the last tensor of a safetensors file */
  headwise_progress progress;   /* or NULL */
  void* progress_user;
} headwise_open_options;

/* options may be NULL. HEADWISE_IO or HEADWISE_BAD_FILE, naming the rule that the file breaks. */
HEADWISE_C_API headwise_status headwise_file_open(const char* path, const headwise_open_options* options,
                                                  headwise_file** file);
HEADWISE_C_API void headwise_file_free(headwise_file* file);

typedef struct headwise_file_info {
  size_t struct_size;
  const char* path; /* of the file that was opened in a folder */
  int64_t num_tensors;
  int64_t num_metadata;
  const char* format; /* "safetensors", "safetensors index" or "npz" */
} headwise_file_info;
HEADWISE_C_API headwise_status headwise_file_info_get(const headwise_file* file, headwise_file_info* info);

typedef struct headwise_tensor_info {
  size_t struct_size;
  const char* name;
  const char* dtype; /* as safetensors spells it, "F32", "BF16", …; "unsupported" where it has no word for it */
  int64_t rank;
  const uint64_t* shape; /* [rank] */
  uint64_t begin, end;   /* of its data, in bytes; counted on from shard to shard */
  const char* file;      /* the shard that holds it, a name in the index's folder; "" when the opened file does */
} headwise_tensor_info;
/* index: 0 to num_tensors − 1, in byte order, shard by shard. */
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

/* A tensor with its name. */
typedef struct headwise_named_view {
  const char* name;
  headwise_view tensor; /* any type and strides */
} headwise_named_view;

/* Looks at a file that is written but has no name yet, and returns 0; anything else says that it must not be kept. The
 * handle is lent for the call. It must return. */
typedef int32_t (*headwise_written_check)(const headwise_file* written, void* user);

typedef struct headwise_save_options {
  size_t struct_size;
  headwise_written_check check; /* or NULL */
  void* check_user;
} headwise_save_options;

/* An entry of a file's own notes. */
typedef struct headwise_note {
  const char* key;
  const char* value;
} headwise_note;

/* Writes a safetensors file; the same tensors give the same bytes in whatever order they come. The file gets its name
 * when it is whole, so nobody sees half of it. A process that is killed before leaves nothing where the file system has
 * files without a name (O_TMPFILE), elsewhere a temporary file in the same folder. tensors: [num_tensors], metadata:
 * [num_metadata]; NULL when there are none. options may be NULL. HEADWISE_IO when its check refuses the file or there
 * is none to check, as with a pipe or a device; then the old file stays as it was, and nothing beside it.
 * HEADWISE_INVALID_ARGUMENT for a name or key twice, the name "__metadata__", and texts that are no UTF-8. */
HEADWISE_C_API headwise_status headwise_save_safetensors(const char* path, const headwise_named_view* tensors,
                                                         int64_t num_tensors, const headwise_note* metadata,
                                                         int64_t num_metadata, const headwise_save_options* options);
/* Writes an .npz file as numpy.load reads it, not compressed; the archive is made in memory first. At least one tensor;
 * bf16 has no .npy type and is HEADWISE_UNSUPPORTED. options as above. headwise_file_open reads such files. */
HEADWISE_C_API headwise_status headwise_save_npz(const char* path, const headwise_named_view* tensors,
                                                 int64_t num_tensors, const headwise_save_options* options);
/* Writes a file of any bytes; it gets its name when it is whole. */
HEADWISE_C_API headwise_status headwise_save_bytes(const char* path, const void* bytes, size_t count);

#endif
