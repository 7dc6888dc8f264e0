// The functions of oneDNN, looked up in its library when they are first wanted (loaded_library.hpp says why; it has 40
// MB, and only tables without a product need it). Include this instead of dnnl.h and dnnl.hpp.
#pragma once

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR < 3
#define HEADWISE_DNNL_FUNCTIONS_OF_VERSION(X) \
  X(matmul_desc_init)                         \
  X(memory_desc_init_by_strides)              \
  X(memory_desc_init_by_tag)                  \
  X(post_ops_append_sum_v2)                   \
  X(primitive_desc_iterator_create)           \
  X(primitive_desc_iterator_destroy)          \
  X(primitive_desc_iterator_fetch)
#else
#define HEADWISE_DNNL_FUNCTIONS_OF_VERSION(X) \
  X(matmul_primitive_desc_create)             \
  X(memory_desc_clone)                        \
  X(memory_desc_create_with_strides)          \
  X(memory_desc_create_with_tag)              \
  X(memory_desc_destroy)
#endif

// Builds of oneDNN with sparse tensors have other functions for two things.
#ifdef DNNL_EXPERIMENTAL_SPARSE
#define HEADWISE_DNNL_FUNCTIONS_OF_BUILD(X) X(memory_create_v2) X(memory_desc_get_size_v2)
#else
#define HEADWISE_DNNL_FUNCTIONS_OF_BUILD(X) X(memory_create) X(memory_desc_get_size)
#endif

#define HEADWISE_DNNL_FUNCTIONS(X)      \
  HEADWISE_DNNL_FUNCTIONS_OF_VERSION(X) \
  HEADWISE_DNNL_FUNCTIONS_OF_BUILD(X)   \
  X(engine_create)                      \
  X(engine_destroy)                     \
  X(memory_destroy)                     \
  X(memory_get_engine)                  \
  X(memory_get_memory_desc)             \
  X(memory_set_data_handle)             \
  X(post_ops_append_sum)                \
  X(post_ops_create)                    \
  X(post_ops_destroy)                   \
  X(primitive_attr_create)              \
  X(primitive_attr_destroy)             \
  X(primitive_attr_set_post_ops)        \
  X(primitive_attr_set_scratchpad_mode) \
  X(primitive_create)                   \
  X(primitive_desc_destroy)             \
  X(primitive_desc_query)               \
  X(primitive_desc_query_md)            \
  X(primitive_destroy)                  \
  X(primitive_execute)                  \
  X(reorder_primitive_desc_create)      \
  X(stream_create)                      \
  X(stream_destroy)                     \
  X(stream_wait)                        \
  X(version)

namespace headwise::projection {

struct OnednnLibrary {
#define HEADWISE_DNNL_MEMBER(name) decltype(&::dnnl_##name) name;
  HEADWISE_DNNL_FUNCTIONS(HEADWISE_DNNL_MEMBER)
#undef HEADWISE_DNNL_MEMBER
};

// Loads the library at the first call. Throws Error(unsupported) when it is not there. Thread-safe.
const OnednnLibrary& onednn();

}  // namespace headwise::projection

// From here on oneDNN's own C++ classes call what was looked up.
#define HEADWISE_DNNL(name) (::headwise::projection::onednn().name)
#define dnnl_engine_create HEADWISE_DNNL(engine_create)
#define dnnl_engine_destroy HEADWISE_DNNL(engine_destroy)
#define dnnl_matmul_desc_init HEADWISE_DNNL(matmul_desc_init)
#define dnnl_matmul_primitive_desc_create HEADWISE_DNNL(matmul_primitive_desc_create)
#define dnnl_memory_create HEADWISE_DNNL(memory_create)
#define dnnl_memory_create_v2 HEADWISE_DNNL(memory_create_v2)
#define dnnl_memory_desc_clone HEADWISE_DNNL(memory_desc_clone)
#define dnnl_memory_desc_create_with_strides HEADWISE_DNNL(memory_desc_create_with_strides)
#define dnnl_memory_desc_create_with_tag HEADWISE_DNNL(memory_desc_create_with_tag)
#define dnnl_memory_desc_destroy HEADWISE_DNNL(memory_desc_destroy)
#define dnnl_memory_desc_get_size HEADWISE_DNNL(memory_desc_get_size)
#define dnnl_memory_desc_get_size_v2 HEADWISE_DNNL(memory_desc_get_size_v2)
#define dnnl_memory_desc_init_by_strides HEADWISE_DNNL(memory_desc_init_by_strides)
#define dnnl_memory_desc_init_by_tag HEADWISE_DNNL(memory_desc_init_by_tag)
#define dnnl_memory_destroy HEADWISE_DNNL(memory_destroy)
#define dnnl_memory_get_engine HEADWISE_DNNL(memory_get_engine)
#define dnnl_memory_get_memory_desc HEADWISE_DNNL(memory_get_memory_desc)
#define dnnl_memory_set_data_handle HEADWISE_DNNL(memory_set_data_handle)
#define dnnl_post_ops_append_sum HEADWISE_DNNL(post_ops_append_sum)
#define dnnl_post_ops_append_sum_v2 HEADWISE_DNNL(post_ops_append_sum_v2)
#define dnnl_post_ops_create HEADWISE_DNNL(post_ops_create)
#define dnnl_post_ops_destroy HEADWISE_DNNL(post_ops_destroy)
#define dnnl_primitive_attr_create HEADWISE_DNNL(primitive_attr_create)
#define dnnl_primitive_attr_destroy HEADWISE_DNNL(primitive_attr_destroy)
#define dnnl_primitive_attr_set_post_ops HEADWISE_DNNL(primitive_attr_set_post_ops)
#define dnnl_primitive_attr_set_scratchpad_mode HEADWISE_DNNL(primitive_attr_set_scratchpad_mode)
#define dnnl_primitive_create HEADWISE_DNNL(primitive_create)
#define dnnl_primitive_desc_destroy HEADWISE_DNNL(primitive_desc_destroy)
#define dnnl_primitive_desc_iterator_create HEADWISE_DNNL(primitive_desc_iterator_create)
#define dnnl_primitive_desc_iterator_destroy HEADWISE_DNNL(primitive_desc_iterator_destroy)
#define dnnl_primitive_desc_iterator_fetch HEADWISE_DNNL(primitive_desc_iterator_fetch)
#define dnnl_primitive_desc_query HEADWISE_DNNL(primitive_desc_query)
#define dnnl_primitive_desc_query_md HEADWISE_DNNL(primitive_desc_query_md)
#define dnnl_primitive_destroy HEADWISE_DNNL(primitive_destroy)
#define dnnl_primitive_execute HEADWISE_DNNL(primitive_execute)
#define dnnl_reorder_primitive_desc_create HEADWISE_DNNL(reorder_primitive_desc_create)
#define dnnl_stream_create HEADWISE_DNNL(stream_create)
#define dnnl_stream_destroy HEADWISE_DNNL(stream_destroy)
#define dnnl_stream_wait HEADWISE_DNNL(stream_wait)
#define dnnl_version HEADWISE_DNNL(version)

#include <oneapi/dnnl/dnnl.hpp>
