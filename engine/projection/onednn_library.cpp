#include "onednn_library.hpp"

#include <dlfcn.h>

#include <string>

#include "headwise/error.hpp"

namespace headwise::projection {

namespace {

// By the name that the dynamic loader looks up, unless the build names a file.
#ifndef HEADWISE_DNNL_LIBRARY
#define HEADWISE_QUOTE(text) #text
#define HEADWISE_LIBRARY_NAME(major) "libdnnl.so." HEADWISE_QUOTE(major)
#define HEADWISE_DNNL_LIBRARY HEADWISE_LIBRARY_NAME(DNNL_VERSION_MAJOR)
#endif

[[noreturn]] void fail(const char* what) {
  throw Error(ErrorCode::unsupported,
              "oneDNN, which multiplies for the kernels \"sse2\" and \"reference\", cannot be used: " +
                  std::string(what == nullptr ? "no reason given" : what));
}

bool in_process(const char* symbol) {
  return dlsym(RTLD_DEFAULT, symbol) != nullptr;
}

// The library itself calls functions that it shows. Where the program has others of that name, only RTLD_DEEPBIND makes
// it find its own; it is not set without need, since it also hides an operator new of the program's. Sanitizers end a
// process that uses it.
int binding() {
  const bool sanitized = in_process("__asan_init") || in_process("__tsan_init");
  return in_process("dnnl_version") && !sanitized ? RTLD_DEEPBIND : 0;
}

void* find(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) fail(dlerror());
  return found;
}

// Never closed: threads that it has started may still be in it.
OnednnLibrary load() {
  void* library = dlopen(HEADWISE_DNNL_LIBRARY, RTLD_NOW | RTLD_LOCAL | binding());
  if (library == nullptr) fail(dlerror());
  OnednnLibrary functions{};
#define HEADWISE_DNNL_FIND(name) \
  functions.name = reinterpret_cast<decltype(functions.name)>(find(library, "dnnl_" #name));
  HEADWISE_DNNL_FUNCTIONS(HEADWISE_DNNL_FIND)
#undef HEADWISE_DNNL_FIND
  return functions;
}

}  // namespace

const OnednnLibrary& onednn() {
  static const OnednnLibrary functions = load();
  return functions;
}

}  // namespace headwise::projection
