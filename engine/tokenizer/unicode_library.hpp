// The functions of utf8proc, looked up in its library when they are first wanted (loaded_library.hpp says why).
#pragma once

#include <utf8proc.h>

#define HEADWISE_UTF8PROC_FUNCTIONS(X) \
  X(category)                          \
  X(decompose_char)                    \
  X(get_property)                      \
  X(tolower)

namespace headwise {

struct UnicodeLibrary {
#define HEADWISE_UTF8PROC_MEMBER(name) decltype(&::utf8proc_##name) name;
  HEADWISE_UTF8PROC_FUNCTIONS(HEADWISE_UTF8PROC_MEMBER)
#undef HEADWISE_UTF8PROC_MEMBER
};

// Loads the library at the first call. Throws Error(unsupported) when it is not there. Thread-safe.
const UnicodeLibrary& utf8proc();

}  // namespace headwise
