/* Where the time of one call goes: step by step, thread by thread, and what was waited for. */
#ifndef HEADWISE_C_PROFILE_H
#define HEADWISE_C_PROFILE_H

#include "headwise/c/session.h"

typedef struct headwise_profile headwise_profile;

typedef struct headwise_profile_options {
  size_t struct_size;
  int64_t max_spans; /* kept of each thread, up to 2^24, 40 bytes each; 0: 2^14. Further ones are counted only */
  int32_t counters;  /* flag: count cycles, instructions, cache misses and page faults of each step */
} headwise_profile_options;

/* Does what run does, to the bit, and tells what it took. options may be NULL. */
HEADWISE_C_API headwise_status headwise_session_profile(headwise_session* session, const headwise_inputs* inputs,
                                                        const headwise_outputs* outputs,
                                                        const headwise_profile_options* options,
                                                        headwise_profile** profile);
HEADWISE_C_API void headwise_profile_free(headwise_profile* profile);
/* The plan that ran; it belongs to the profile and is not to be freed. */
HEADWISE_C_API headwise_status headwise_profile_plan(const headwise_profile* profile,
                                                     const headwise_explanation** plan);

typedef struct headwise_profile_info {
  size_t struct_size;
  double seconds; /* from the begin of the call to its end */
  int64_t num_steps;
  int64_t num_threads;
  int64_t num_spans;
  int64_t dropped_spans;
  int64_t num_counters; /* 0 unless asked for */
} headwise_profile_info;
HEADWISE_C_API headwise_status headwise_profile_get(const headwise_profile* profile, headwise_profile_info* info);

/* What a step took of one thread, or of all when thread is −1. */
typedef struct headwise_step_time {
  size_t struct_size;
  double seconds;
  double waiting;    /* at the barrier behind it */
  int64_t units;     /* chunks of rows, blocks of queries */
  int64_t num_parts; /* of the step */
} headwise_step_time;
HEADWISE_C_API headwise_status headwise_profile_step(const headwise_profile* profile, int64_t step, int64_t thread,
                                                     headwise_step_time* time);

/* A part of an attention step. */
typedef struct headwise_part_time {
  size_t struct_size;
  const char* name; /* "keys", "QK^T", "modifiers", "softmax", "weights", "PV", "edges" */
  double seconds;   /* of all threads */
  double flops;     /* the share of the step's, 0 for what only moves scores */
  double bytes;
} headwise_part_time;
HEADWISE_C_API headwise_status headwise_profile_part(const headwise_profile* profile, int64_t step, int64_t part,
                                                     headwise_part_time* time);

/* What a thread did besides steps. */
typedef struct headwise_thread_time {
  size_t struct_size;
  double call;    /* around the steps: checks, the plan, waking the team */
  double waiting; /* all of it */
} headwise_thread_time;
HEADWISE_C_API headwise_status headwise_profile_thread(const headwise_profile* profile, int64_t thread,
                                                       headwise_thread_time* time);

typedef int32_t headwise_span_kind;
enum {
  HEADWISE_SPAN_CALL, /* what a call does around its steps */
  HEADWISE_SPAN_WORK, /* units of a step */
  HEADWISE_SPAN_WAIT  /* for the other threads */
};

/* A stretch of one thread's time. The spans of a thread follow each other without a gap. */
typedef struct headwise_span {
  size_t struct_size;
  headwise_span_kind kind;
  int32_t step; /* which was worked at, or at whose end was waited; −1: none */
  int64_t thread;
  double start; /* seconds since the call began */
  double end;
  int64_t units;
} headwise_span;
/* By thread, then by time. */
HEADWISE_C_API headwise_status headwise_profile_span(const headwise_profile* profile, int64_t index,
                                                     headwise_span* span);

typedef struct headwise_counter {
  size_t struct_size;
  const char* name;    /* "cycles", "instructions", "cache misses", "page faults" */
  const char* missing; /* what the system said when it does not count it, else "" */
  int64_t num_steps;   /* 0 when the system does not count it */
  const double* steps; /* [num_steps], of all threads */
} headwise_counter;
HEADWISE_C_API headwise_status headwise_profile_counter(const headwise_profile* profile, int64_t index,
                                                        headwise_counter* counter);

#endif
