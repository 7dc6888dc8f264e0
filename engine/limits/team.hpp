// A team of threads that do the same work at the same time.
#pragma once

#include <cstdint>
#include <functional>

namespace headwise::limits {

// Does the work of one thread so many times and returns how much that was (FLOP, bytes). Must not throw.
using Burst = std::function<double(int thread, std::int64_t repeats)>;

// Work per second of all threads together: the best but one of 15 rounds that take about `seconds` together.
// Throws Error(unsupported) when fewer threads start.
double sustained_rate(int threads, double seconds, const Burst& burst);

// Runs function(thread) once on every thread of the team; what one of them throws is thrown here.
void on_each_thread(int threads, const std::function<void(int thread)>& function);

}  // namespace headwise::limits
