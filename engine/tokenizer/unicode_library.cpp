#include "unicode_library.hpp"

#include "loaded_library.hpp"

namespace headwise {

namespace {

constexpr LibraryName name{HEADWISE_UTF8PROC_LIBRARY_NAME, "utf8proc_category", "utf8proc, which tokenizers need,"};

UnicodeLibrary load() {
  void* library = load_library(name);
  UnicodeLibrary functions{};
#define HEADWISE_UTF8PROC_FIND(function) \
  functions.function =                   \
      reinterpret_cast<decltype(functions.function)>(find_function(library, name, "utf8proc_" #function));
  HEADWISE_UTF8PROC_FUNCTIONS(HEADWISE_UTF8PROC_FIND)
#undef HEADWISE_UTF8PROC_FIND
  return functions;
}

}  // namespace

const UnicodeLibrary& utf8proc() {
  static const UnicodeLibrary functions = load();
  return functions;
}

}  // namespace headwise
