// How long a call takes.
#pragma once

#include <functional>

namespace headwise::tools {

struct Timing {
  double median_seconds = 0;
  int calls = 0;  // that the median is of
};

double seconds_of(const std::function<void()>& call);

// Runs the call once to warm up, then `repeats` times. With repeats 0 it runs as often as fits into half a second; a
// call that alone takes longer is not repeated, and its only time is the figure.
Timing measure(const std::function<void()>& call, int repeats);

}  // namespace headwise::tools
