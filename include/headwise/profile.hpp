// Where the time of one call goes: step by step, thread by thread, and what was waited for. See Session::profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headwise/attention.hpp"

namespace headwise {

struct ProfileOptions {
  // Spans kept of each thread, 1 to 2²⁴: 40 bytes each. Further ones are dropped and counted; no sum misses them.
  std::int64_t max_spans = 1 << 14;
  // Count cycles, instructions, cache misses and page faults of each step, where the system lets this process. That is
  // some system calls a span: the times of such a call are no measure of one without.
  bool counters = false;
};

enum class SpanKind : std::uint8_t {
  call,  // what a call does around its steps: checks, the plan, waking the team, the cache's new lengths
  work,  // units of a step
  wait,  // for the other threads: to be woken, at the barrier after a step, or at the end
};

// A stretch of one thread's time. The spans of a thread follow each other without a gap from 0 to Profile::seconds.
struct ProfileSpan {
  SpanKind kind = SpanKind::work;
  int step = -1;  // in Profile::steps: which was worked at, or at whose end was waited; −1: none
  int thread = 0;
  double start = 0, end = 0;  // seconds since the call began
  std::int64_t units = 0;     // of the step that this thread did: chunks of rows, blocks of queries
};

// What a step took of one thread.
struct StepTime {
  double seconds = 0;
  double waiting = 0;  // at the barrier behind it
  std::int64_t units = 0;
};

// A part of an attention step: "keys" finds the live keys, reads masks, converts rows; "modifiers" are soft-cap, biases
// and masks on the scores; "weights" writes the caller's; "edges" bring queries in and contexts out. Its time is the
// step's, shared out as in every seventh block of queries, which alone are looked into.
struct StepPart {
  std::string name;             // "keys", "QK^T", "modifiers", "softmax", "weights", "PV", "edges"
  double seconds = 0;           // of all threads
  double flops = 0, bytes = 0;  // the share of StepInfo's, 0 for what only moves scores
};

struct ProfileStep {
  std::vector<StepTime> threads;
  std::vector<StepPart> parts;  // of Attend and AttendSlices, unless the reference kernel ran; those that took time
  HEADWISE_API double seconds() const noexcept;  // of all threads
  HEADWISE_API std::int64_t units() const noexcept;
};

// What a thread did besides steps; with their times these two add up to Profile::seconds.
struct ThreadTime {
  double call = 0;
  double waiting = 0;  // all of it
};

struct ProfileCounter {
  std::string name;             // "cycles", "instructions", "cache misses", "page faults"
  std::vector<double> steps{};  // [steps], of all threads; empty when the system does not count it
  std::string missing{};        // then: what the system said
};

struct Profile {
  Explanation plan;
  double seconds = 0;                 // from the begin of the call to its end
  std::vector<ProfileStep> steps{};   // as plan.steps
  std::vector<ThreadTime> threads{};  // plan.threads of them
  std::vector<ProfileSpan> spans{};   // by thread, then by time
  std::int64_t dropped_spans = 0;
  std::vector<ProfileCounter> counters{};  // empty unless asked for
};

}  // namespace headwise
