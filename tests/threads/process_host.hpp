// The cases of process_host, and what they check by.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

constexpr unsigned most_seconds = 10;
inline int failures = 0;

struct Case {
  const char* name;
  void (*run)();
};

const std::vector<Case>& log_cases();

// Counts and says what is not fine.
void check(bool fine, const char* what);
// Waits for a child; whether it found everything in order.
bool ended_well(pid_t child);
// The end of a child.
[[noreturn]] void end_child();
// Whether a child that calls this finds everything in order.
bool in_child(const std::function<void()>& function);
