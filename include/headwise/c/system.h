/* The library and the machine it runs on. */
#ifndef HEADWISE_C_SYSTEM_H
#define HEADWISE_C_SYSTEM_H

#include "headwise/c/status.h"

/* headwise's own, "0.1.0". The text stays for good. */
HEADWISE_C_API const char* headwise_version(void);

typedef struct headwise_build_info {
  size_t struct_size;
  const char* version;
  const char* commit;   /* "1187bcb6abcd", with "-dirty" for changes that are not committed; "unknown" without git */
  const char* compiler; /* "GNU 12.2.0" */
  const char* type;     /* "Release" */
  const char* onednn;   /* the version in use, "2.6.3" */
  const char* isas;     /* the instruction sets compiled in, fastest first: "avx512 avx2 sse2 reference" */
} headwise_build_info;
/* The texts stay for good. */
HEADWISE_C_API headwise_status headwise_build_info_get(headwise_build_info* info);

/* The thread count that headwise_session_options.threads = 0 stands for. */
HEADWISE_C_API int32_t headwise_default_threads(void);

/* What that number rests on. The smallest of the limits counts. */
typedef struct headwise_thread_limits {
  size_t struct_size;
  int32_t threads;
  int32_t affinity_cpus;  /* CPUs that the calling thread may run on */
  int32_t online_cpus;    /* CPUs of the machine that are switched on */
  int32_t openmp_threads; /* OMP_NUM_THREADS or omp_set_num_threads, OMP_THREAD_LIMIT; else OpenMP's own default */
  double quota_cpus;      /* CPU time a time, as a control group allows it; rounded up. 0: no limit */
  char reason[256];       /* the limit that counts, in words; longer ones are cut */
  char quota_file[256];   /* where the quota stands */
} headwise_thread_limits;
/* Reads the files of the system anew, 50 to 100 µs. */
HEADWISE_C_API headwise_status headwise_thread_limits_get(headwise_thread_limits* limits);

typedef struct headwise_isa_info {
  size_t struct_size;
  const char* name;
  int32_t compiled; /* flag: in this build */
  int32_t present;  /* flag: on this CPU */
} headwise_isa_info;
HEADWISE_C_API headwise_status headwise_isa_count(int64_t* count);
/* Fastest first, "reference" last. The name stays for good. */
HEADWISE_C_API headwise_status headwise_isa_get(int64_t index, headwise_isa_info* info);
/* NULL, "" and "auto" become the ISA that would run. The text stays for good. */
HEADWISE_C_API headwise_status headwise_resolve_isa(const char* isa, const char** resolved);

typedef int32_t headwise_log_level;
enum {
  HEADWISE_LOG_INFO,   /* what was chosen */
  HEADWISE_LOG_WARNING /* it works, but not as asked */
};
/* "info", "warning"; "unknown" for no level. */
HEADWISE_C_API const char* headwise_log_level_name(headwise_log_level level);
/* The message ends with the call. Called on the thread whose call has something to say, by several at once. It must
 * return, and not set the handler. */
typedef void (*headwise_log_handler)(headwise_log_level level, const char* message, void* user);
/* Sets the handler of the process; NULL ends it. When this returns the handler before is not running and will not be
 * called again. The library never prints. */
HEADWISE_C_API headwise_status headwise_set_log_handler(headwise_log_handler handler, void* user);

typedef struct headwise_limit_options {
  size_t struct_size;
  const char* isa; /* as in headwise_model_options */
  int32_t threads; /* that run at the same time; 0: 1 */
  double seconds;  /* of measuring, about; at most 60; 0: 0.1 */
} headwise_limit_options;
/* FLOP/s of all threads together, for fused multiply-adds of f32 between registers. options may be NULL. */
HEADWISE_C_API headwise_status headwise_measure_fma_peak(const headwise_limit_options* options, double* flops);
/* Bytes/s of all threads together, each reading a buffer of its own of so many bytes. options may be NULL. */
HEADWISE_C_API headwise_status headwise_measure_read_bandwidth(int64_t bytes_per_thread,
                                                               const headwise_limit_options* options, double* bytes);

/* A level of the memory hierarchy and the size of buffer that shows its bandwidth. */
typedef struct headwise_memory_level {
  size_t struct_size;
  char name[16];            /* "L1", "L2", "L3", "memory" */
  int64_t capacity;         /* bytes of one cache; 0: memory */
  int64_t bytes_per_thread; /* for headwise_measure_read_bandwidth with this many threads: fits here and not nearer */
} headwise_memory_level;
HEADWISE_C_API headwise_status headwise_memory_level_count(int32_t threads, int64_t* count);
/* From the core outwards, "memory" last. */
HEADWISE_C_API headwise_status headwise_memory_level_get(int32_t threads, int64_t index, headwise_memory_level* level);

#endif
