// A host without OpenMP that loads a plugin which uses headwise's shared library, and closes it again; and hosts with
// LLVM's OpenMP beside it (C19). Ended after 60 seconds.
//   plugin_host close PLUGIN              20 rounds of load, run, close; then a fork
//   plugin_host before|after PLUGIN LIBOMP   100 rounds of both runtimes in turns; libomp is loaded first, or last
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "process_threads.hpp"

namespace {

using Run = std::uint64_t (*)(int threads, int shared);

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "plugin_host: %s\n", what.c_str());
  std::exit(1);
}

void check(bool fine, const std::string& what) {
  if (!fine) fail(what);
}

void* load(const char* path, int flags) {
  void* library = dlopen(path, RTLD_NOW | flags);
  if (library == nullptr) fail(dlerror());
  return library;
}

template <class Function>
Function find(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) fail(dlerror());
  return reinterpret_cast<Function>(found);
}

bool is_loaded(const std::string& part) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

double resident_mib() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void run_all(Run run, std::uint64_t& expected) {
  if (expected == 0) expected = run(1, 0);
  check(expected != 0, "the first run failed");
  for (const int threads : {1, 3}) {
    for (const int shared : {0, 1}) check(run(threads, shared) == expected, "other bits");
  }
}

// The threads of OpenMP, which stays loaded, serve the next round.
void close_rounds(const char* plugin) {
  std::uint64_t expected = 0;
  double before = 0;
  for (int round = 0; round < 20; ++round) {
    check(!is_loaded("libheadwise"), "headwise was not unloaded");
    void* library = load(plugin, RTLD_LOCAL);
    run_all(find<Run>(library, "plugin_run"), expected);
    check(has_threads(3), "the threads of rounds add up");
    check(dlclose(library) == 0, "dlclose");
    if (round == 4) before = resident_mib();
  }
  check(resident_mib() < before + 1,
        "the memory of rounds adds up: " + std::to_string(resident_mib() - before) + " MiB");
}

// What the library has registered for a fork went with it.
void fork_afterwards() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 1;
  waitpid(child, &status, 0);
  check(status == 0, "fork after the library was closed");
}

std::atomic<int> members;

// libomp answers to the names that GCC's code calls.
void run_region(void* libomp) {
  const auto parallel = find<void (*)(void (*)(void*), void*, unsigned, unsigned)>(libomp, "GOMP_parallel");
  members = 0;
  parallel([](void*) { ++members; }, nullptr, 3, 0);
  check(members == 3, "a region of the host had " + std::to_string(members) + " members");
}

void alternate(const char* plugin, const char* libomp, bool omp_first) {
  void* omp = omp_first ? load(libomp, RTLD_GLOBAL) : nullptr;
  if (omp_first) run_region(omp);
  const Run run = find<Run>(load(plugin, RTLD_LOCAL), "plugin_run");
  std::uint64_t expected = 0;
  run_all(run, expected);
  if (!omp_first) omp = load(libomp, RTLD_GLOBAL);
  for (int round = 0; round < 100; ++round) {
    run_region(omp);
    check(run(3, round % 2) == expected, "other bits beside libomp");
  }
}

}  // namespace

int main(int count, char** arguments) {
  alarm(60);
  const std::string what = count > 2 ? arguments[1] : "";
  if (what == "close" && count == 3) {
    close_rounds(arguments[2]);
    fork_afterwards();
    return 0;
  }
  if ((what == "before" || what == "after") && count == 4) {
    alternate(arguments[2], arguments[3], what == "before");
    return 0;
  }
  return 2;
}
