#include "loaded_library.hpp"

#include <dlfcn.h>

#include <string>

#include "headwise/error.hpp"

namespace headwise {

namespace {

[[noreturn]] void fail(const LibraryName& name) {
  const char* reason = dlerror();
  throw Error(ErrorCode::unsupported,
              std::string(name.purpose) + " cannot be used: " + (reason == nullptr ? "no reason given" : reason));
}

bool in_process(const char* symbol) {
  return dlsym(RTLD_DEFAULT, symbol) != nullptr;
}

// A library calls functions that it shows through the dynamic loader. Where the program has others of that name, only
// RTLD_DEEPBIND makes it find its own; it is not set without need, since it also hides an operator new of the
// program's. Sanitizers end a process that uses it.
int binding(const LibraryName& name) {
  const bool sanitized = in_process("__asan_init") || in_process("__tsan_init");
  return in_process(name.symbol) && !sanitized ? RTLD_DEEPBIND : 0;
}

}  // namespace

void* load_library(const LibraryName& name) {
  void* library = dlopen(name.file, RTLD_NOW | RTLD_LOCAL | binding(name));
  if (library == nullptr) fail(name);
  return library;
}

void* find_function(void* library, const LibraryName& name, const char* function) {
  void* found = dlsym(library, function);
  if (found == nullptr) fail(name);
  return found;
}

}  // namespace headwise
