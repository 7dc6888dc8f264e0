#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "process_host.hpp"

void check(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "process_host: %s\n", what);
  ++failures;
}

bool ended_well(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "process_host: the child ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void end_child() {
  _exit(failures == 0 ? 0 : 1);
}

bool in_child(const std::function<void()>& function) {
  const pid_t child = fork();
  if (child != 0) return ended_well(child);
  alarm(most_seconds);
  failures = 0;
  function();
  end_child();
}
