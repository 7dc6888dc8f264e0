#include "onednn_library.hpp"

#include "loaded_library.hpp"

namespace headwise::projection {

namespace {

// By the name that the dynamic loader looks up, unless the build names a file.
#ifndef HEADWISE_DNNL_LIBRARY
#define HEADWISE_QUOTE(text) #text
#define HEADWISE_LIBRARY_NAME(major) "libdnnl.so." HEADWISE_QUOTE(major)
#define HEADWISE_DNNL_LIBRARY HEADWISE_LIBRARY_NAME(DNNL_VERSION_MAJOR)
#endif

constexpr LibraryName name{HEADWISE_DNNL_LIBRARY, "dnnl_version",
                           "oneDNN, which multiplies for the kernels \"sse2\" and \"reference\","};

OnednnLibrary load() {
  void* library = load_library(name);
  OnednnLibrary functions{};
#define HEADWISE_DNNL_FIND(function) \
  functions.function = reinterpret_cast<decltype(functions.function)>(find_function(library, name, "dnnl_" #function));
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
