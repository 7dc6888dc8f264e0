#include "text.hpp"

#include <doctest/doctest.h>

using namespace headwise;

TEST_CASE("long shapes are shortened") {
  CHECK(shape_text({3, 4}) == "[3, 4]");
  CHECK(shape_text({}) == "[]");
  CHECK(shape_text(std::vector<std::uint64_t>(1000, 1)).size() < 60);
  CHECK(join({"a", "b"}, "; ") == "a; b");
}
