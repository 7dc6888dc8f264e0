// The functions of libzip, looked up in its library when they are first wanted (loaded_library.hpp says why; it brings
// libcrypto and other compressors along). Include this instead of zip.h.
#pragma once

#include <zip.h>

#define HEADWISE_ZIP_FUNCTIONS(X) \
  X(close)                        \
  X(discard)                      \
  X(error_code_zip)               \
  X(error_fini)                   \
  X(error_init)                   \
  X(error_set)                    \
  X(error_strerror)               \
  X(error_to_data)                \
  X(fclose)                       \
  X(file_add)                     \
  X(file_get_error)               \
  X(file_set_dostime)             \
  X(fopen_index)                  \
  X(fread)                        \
  X(get_error)                    \
  X(get_name)                     \
  X(get_num_entries)              \
  X(open_from_source)             \
  X(set_file_compression)         \
  X(source_buffer_create)         \
  X(source_buffer_fragment)       \
  X(source_close)                 \
  X(source_error)                 \
  X(source_free)                  \
  X(source_function_create)       \
  X(source_keep)                  \
  X(source_open)                  \
  X(source_read)                  \
  X(source_seek_compute_offset)   \
  X(stat_index)                   \
  X(stat_init)

namespace headwise {

struct ZipLibrary {
#define HEADWISE_ZIP_MEMBER(name) decltype(&::zip_##name) name;
  HEADWISE_ZIP_FUNCTIONS(HEADWISE_ZIP_MEMBER)
#undef HEADWISE_ZIP_MEMBER
};

// Loads the library at the first call. Throws Error(unsupported) when it is not there. Thread-safe.
const ZipLibrary& libzip();

}  // namespace headwise

#define zip_close (::headwise::libzip().close)
#define zip_discard (::headwise::libzip().discard)
#define zip_error_code_zip (::headwise::libzip().error_code_zip)
#define zip_error_fini (::headwise::libzip().error_fini)
#define zip_error_init (::headwise::libzip().error_init)
#define zip_error_set (::headwise::libzip().error_set)
#define zip_error_strerror (::headwise::libzip().error_strerror)
#define zip_error_to_data (::headwise::libzip().error_to_data)
#define zip_fclose (::headwise::libzip().fclose)
#define zip_file_add (::headwise::libzip().file_add)
#define zip_file_get_error (::headwise::libzip().file_get_error)
#define zip_file_set_dostime (::headwise::libzip().file_set_dostime)
#define zip_fopen_index (::headwise::libzip().fopen_index)
#define zip_fread (::headwise::libzip().fread)
#define zip_get_error (::headwise::libzip().get_error)
#define zip_get_name (::headwise::libzip().get_name)
#define zip_get_num_entries (::headwise::libzip().get_num_entries)
#define zip_open_from_source (::headwise::libzip().open_from_source)
#define zip_set_file_compression (::headwise::libzip().set_file_compression)
#define zip_source_buffer_create (::headwise::libzip().source_buffer_create)
#define zip_source_buffer_fragment (::headwise::libzip().source_buffer_fragment)
#define zip_source_close (::headwise::libzip().source_close)
#define zip_source_error (::headwise::libzip().source_error)
#define zip_source_free (::headwise::libzip().source_free)
#define zip_source_function_create (::headwise::libzip().source_function_create)
#define zip_source_keep (::headwise::libzip().source_keep)
#define zip_source_open (::headwise::libzip().source_open)
#define zip_source_read (::headwise::libzip().source_read)
#define zip_source_seek_compute_offset (::headwise::libzip().source_seek_compute_offset)
#define zip_stat_index (::headwise::libzip().stat_index)
#define zip_stat_init (::headwise::libzip().stat_init)
