// Starting threads of our own.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace headwise::threads {

// A thread in which no signal is handled: handlers are the host's and belong to its threads. `stack_bytes` of 0 is the
// system's default. False when there is no thread or no memory to be had.
bool start_thread(pthread_t& thread, void* (*function)(void*), void* argument, std::size_t stack_bytes = 0) noexcept;

// How many of `wanted` (at most Session::max_threads) threads, the calling one included, a team of OpenMP finds.
// libgomp and libomp end the process when one cannot be started, so all are started here and ended again, 15 µs each,
// before a thread's team is larger than the one before. What another thread or process takes away between this and the
// region is not seen.
int startable_threads(int wanted) noexcept;

}  // namespace headwise::threads
