// Libraries that are looked up at run time: found, or refused with the reason.
#include "loaded_library.hpp"

#include <doctest/doctest.h>

#include "expect_error.hpp"

using namespace headwise;

namespace {

constexpr LibraryName mathematics{"libm.so.6", "cos", "mathematics, which is everywhere,"};

}  // namespace

TEST_CASE("a function of a loaded library runs") {
  void* library = load_library(mathematics);
  CHECK(load_library(mathematics) == library);
  const auto cosine = reinterpret_cast<double (*)(double)>(find_function(library, mathematics, "cos"));
  CHECK(cosine(0.0) == 1.0);
}

TEST_CASE("what is not there is named, with its purpose") {
  constexpr LibraryName missing{"libno_such_library.so.7", "no_such_function", "what never was"};
  expect_error(ErrorCode::unsupported, {"what never was cannot be used", "libno_such_library.so.7"},
               [&] { load_library(missing); });
  void* library = load_library(mathematics);
  expect_error(ErrorCode::unsupported, {"mathematics", "no_such_function"},
               [&] { find_function(library, mathematics, "no_such_function"); });
}
