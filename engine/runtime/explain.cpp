// The text form of a plan.
#include <cstdio>

#include "headwise/attention.hpp"

namespace headwise {

namespace {

std::string line(const char* format, const StepInfo& step) {
  char text[160];
  std::snprintf(text, sizeof text, format, step.name.c_str(), step.reads.c_str(), step.writes.c_str(), step.flops / 1e6,
                step.bytes / 1e6);
  return text;
}

}  // namespace

std::string Explanation::to_string() const {
  std::string text = "ISA " + isa + ", " + schedule + " schedule, " + std::to_string(threads) +
                     (threads == 1 ? " thread, " : " threads, ") + std::to_string(scratch_bytes) +
                     " bytes of scratch\n";
  char head[160];
  std::snprintf(head, sizeof head, "%-14s %-12s %-10s %12s %12s\n", "step", "reads", "writes", "MFLOP", "MB");
  text += head;
  for (const StepInfo& step : steps) text += line("%-14s %-12s %-10s %12.3f %12.3f\n", step);
  return text;
}

}  // namespace headwise
