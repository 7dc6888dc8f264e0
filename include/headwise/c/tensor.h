/* Tensors: views of the caller's memory, and owning tensors. */
#ifndef HEADWISE_C_TENSOR_H
#define HEADWISE_C_TENSOR_H

#include "headwise/c/status.h"

typedef int32_t headwise_dtype;
enum {
  HEADWISE_F32,
  HEADWISE_F64,
  HEADWISE_F16,
  HEADWISE_BF16,
  HEADWISE_I64,
  HEADWISE_I32,
  HEADWISE_I16,
  HEADWISE_I8,
  HEADWISE_U64,
  HEADWISE_U32,
  HEADWISE_U16,
  HEADWISE_U8,
  HEADWISE_BOOL /* one byte: 0 or 1 */
};

#define HEADWISE_MAX_RANK 8

/* Bytes of one element; 0 for no dtype. "f32", "bool", …; "unknown" for no dtype. */
HEADWISE_C_API size_t headwise_dtype_size(headwise_dtype dtype);
HEADWISE_C_API const char* headwise_dtype_name(headwise_dtype dtype);

/* Memory that the library reads during the call. Strides count elements and may be 0 or negative; NULL stands for
 * row-major without gaps. For example {x, HEADWISE_F32, 3, {batch, length, width}, NULL}. Where a pointer to a view is
 * NULL, the tensor is not given. */
typedef struct headwise_view {
  const void* data;
  headwise_dtype dtype;
  int32_t rank; /* 0 to HEADWISE_MAX_RANK */
  int64_t shape[HEADWISE_MAX_RANK];
  const int64_t* strides; /* [rank] */
} headwise_view;

/* The same for memory that the library writes. */
typedef struct headwise_mutable_view {
  void* data;
  headwise_dtype dtype;
  int32_t rank;
  int64_t shape[HEADWISE_MAX_RANK];
  const int64_t* strides;
} headwise_mutable_view;

/* A contiguous tensor in 64-byte aligned memory of the library. */
typedef struct headwise_tensor headwise_tensor;

/* Zeros. shape: [rank]. */
HEADWISE_C_API headwise_status headwise_tensor_create(headwise_dtype dtype, int32_t rank, const int64_t* shape,
                                                      headwise_tensor** tensor);
HEADWISE_C_API void headwise_tensor_free(headwise_tensor* tensor);
/* Row-major: strides is NULL. */
HEADWISE_C_API headwise_status headwise_tensor_view(const headwise_tensor* tensor, headwise_view* view);
HEADWISE_C_API headwise_status headwise_tensor_mutable_view(headwise_tensor* tensor, headwise_mutable_view* view);

/* Reads a .npy file (format 1.0 to 3.0, C or Fortran order) into a tensor of the file's own type. Object, complex and
 * structured arrays are HEADWISE_UNSUPPORTED, and no pickle is ever interpreted. */
HEADWISE_C_API headwise_status headwise_load_npy(const char* path, headwise_tensor** tensor);
/* Writes format 1.0, C order; the file gets its name when it is whole, as with headwise_save_safetensors. bf16 has no
 * .npy type and is HEADWISE_UNSUPPORTED. */
HEADWISE_C_API headwise_status headwise_save_npy(const char* path, const headwise_view* tensor);

/* Puts the next bytes at `to`, at most `count`, and says how many: 0 when there are no more, a negative number when it
 * failed. It must return. */
typedef int64_t (*headwise_byte_reader)(void* to, size_t count, void* user);
/* Takes `count` bytes, all of them, and returns 0; anything else says that it failed. It must return. */
typedef int32_t (*headwise_byte_writer)(const void* from, size_t count, void* user);
/* As headwise_load_npy, from a pipe or out of a message, and asks for no byte behind the array. name: what messages
 * call the source. HEADWISE_IO when the reader failed, HEADWISE_INVALID_ARGUMENT when it says that it gave more than it
 * was asked for. */
HEADWISE_C_API headwise_status headwise_read_npy(headwise_byte_reader reader, void* user, const char* name,
                                                 headwise_tensor** tensor);
/* The bytes that headwise_save_npy would write. HEADWISE_IO when the writer failed; it is not called again then. */
HEADWISE_C_API headwise_status headwise_write_npy(headwise_byte_writer writer, void* user, const headwise_view* tensor);

/* A contiguous copy in another type. Floats round to nearest even; a floating type to an integer or bool is
 * HEADWISE_UNSUPPORTED, an integer that does not fit HEADWISE_INVALID_ARGUMENT. */
HEADWISE_C_API headwise_status headwise_convert(const headwise_view* from, headwise_dtype dtype,
                                                headwise_tensor** tensor);

#endif
