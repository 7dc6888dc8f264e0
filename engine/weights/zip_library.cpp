#include "zip_library.hpp"

#include "loaded_library.hpp"

namespace headwise {

namespace {

constexpr LibraryName name{HEADWISE_ZIP_LIBRARY_NAME, "zip_close", "libzip, which reads and writes .npz files,"};

ZipLibrary load() {
  void* library = load_library(name);
  ZipLibrary functions{};
#define HEADWISE_ZIP_FIND(function) \
  functions.function = reinterpret_cast<decltype(functions.function)>(find_function(library, name, "zip_" #function));
  HEADWISE_ZIP_FUNCTIONS(HEADWISE_ZIP_FIND)
#undef HEADWISE_ZIP_FIND
  return functions;
}

}  // namespace

const ZipLibrary& libzip() {
  static const ZipLibrary functions = load();
  return functions;
}

}  // namespace headwise
