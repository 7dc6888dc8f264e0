/* What every function of the C interface returns, and how its structs begin. See headwise.h for the rules. */
#ifndef HEADWISE_C_STATUS_H
#define HEADWISE_C_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "headwise/api.h"

#ifdef __cplusplus
#define HEADWISE_C_API extern "C" HEADWISE_API
#else
#define HEADWISE_C_API HEADWISE_API
#endif

typedef int32_t headwise_status;
enum {
  HEADWISE_OK = 0,
  HEADWISE_INVALID_ARGUMENT = 1, /* a pointer, shape, type or option does not fit */
  HEADWISE_UNSUPPORTED = 2,      /* a combination that headwise does not offer, or an ISA that this CPU lacks */
  HEADWISE_BAD_FILE = 3,         /* a file exists but its content breaks the rules of its format */
  HEADWISE_IO = 4,               /* a file cannot be opened, read or written */
  HEADWISE_OUT_OF_MEMORY = 5,
  HEADWISE_INTERNAL = 6,  /* a failure inside oneDNN or headwise itself */
  HEADWISE_CANCELLED = 7, /* the call's flag was set */
  HEADWISE_BUSY = 8       /* the session is at work for another thread */
};

/* The standard spelling of a status, for example "bad_file"; "unknown" for no status. Never NULL. */
HEADWISE_C_API const char* headwise_status_name(headwise_status status);

/* What was wrong with the last call of this thread that returns a status, naming the argument, what was expected and
 * what was given; "" when it succeeded. It stays until the thread's next such call. Up to 4095 bytes of UTF-8, longer
 * ones are cut. Never NULL. */
HEADWISE_C_API const char* headwise_last_error(void);

/* Makes a struct ready: headwise_load_options options; HEADWISE_INIT(options); */
#define HEADWISE_INIT(variable) \
  (memset(&(variable), 0, sizeof(variable)), (void)((variable).struct_size = sizeof(variable)))

/* Memory of the caller's own for what is large and stays, instead of the system's. Both functions, or none. They may be
 * called from any thread that makes, frees or runs an object, and by several at once; `user` must outlive all of those
 * objects. They must not call headwise. */
typedef struct headwise_allocator {
  /* At least `size` bytes (never 0) at a multiple of `alignment` (a power of two); NULL when there are none, which
   * becomes HEADWISE_OUT_OF_MEMORY. */
  void* (*allocate)(size_t size, size_t alignment, void* user);
  /* What allocate returned for this size. */
  void (*release)(void* memory, size_t size, void* user);
  void* user;
} headwise_allocator;

/* Called while data is read, with bytes done and bytes in all, on the calling thread. It must return. */
typedef void (*headwise_progress)(uint64_t done, uint64_t total, void* user);

#endif
