// A shared library that is loaded when it is first needed, not linked: a program that carries another copy of it could
// otherwise put its own functions in place of the right ones, and every program would load what few calls use.
#pragma once

namespace headwise {

struct LibraryName {
  const char* file;     // as the dynamic loader looks it up, or a path
  const char* symbol;   // a function that every copy of the library has
  const char* purpose;  // for messages: "oneDNN, which multiplies …,"
};

// The handle of dlopen. Never closed: threads that the library has started may still be in it. Throws
// Error(unsupported) when the library is not there.
void* load_library(const LibraryName& name);

// Throws Error(unsupported) when the library has no such function.
void* find_function(void* library, const LibraryName& name, const char* function);

}  // namespace headwise
