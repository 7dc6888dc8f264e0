// What this machine can do at most, measured in the calling process: what figures of speed are held against.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "headwise/error.hpp"

namespace headwise {

struct LimitOptions {
  std::string isa;       // as in ModelOptions: "" reads HEADWISE_ISA, then takes the best of this CPU
  int threads = 1;       // that run at the same time, of the same OpenMP team that sessions use
  double seconds = 0.1;  // of measuring, about; at most 60
};

// All functions throw Error(invalid_argument) for options out of range and Error(unsupported) for an ISA that this CPU
// lacks or that has no such kernel (the reference), and where fewer threads start than were asked for, as inside a
// parallel region. They may be called from any thread; two at a time disturb each other's figures.
//
// Every figure is the best but one of 15 rounds in which all threads work at once, from the moment when the first
// starts to that when the last is done. What else runs on a machine can only lower a rate (medians came out at half of
// the peak on a busy one), and a single round that the clock favoured does not count.

// FLOP/s of all threads together, for fused multiply-adds of f32 (2 FLOP each) between registers.
HEADWISE_API double measure_fma_peak(const LimitOptions& options = {});

// Bytes/s of all threads together. Each reads a buffer of its own of so many bytes (rounded down to a multiple of 1024,
// at least 1024) again and again, front to back. The buffers were first written by the threads that read them and lie
// in huge pages where the system grants them.
HEADWISE_API double measure_read_bandwidth(std::int64_t bytes_per_thread, const LimitOptions& options = {});

// A level of the memory hierarchy and the size of buffer that shows its bandwidth.
struct MemoryLevel {
  std::string name;               // "L1", "L2", "L3", "memory"
  std::int64_t capacity;          // bytes of one cache; 0: memory
  std::int64_t bytes_per_thread;  // for measure_read_bandwidth with this many threads: fits here and not nearer
};

// From the core outwards, "memory" last. Sizes are what the system says of CPU 0 (sysfs, else sysconf), or those of a
// common CPU (32 KiB, 1 MiB, 16 MiB) where it says nothing. Throws Error(invalid_argument) when threads < 1.
HEADWISE_API std::vector<MemoryLevel> memory_levels(int threads = 1);

}  // namespace headwise
