#include "flat_object.hpp"

#include <doctest/doctest.h>

using namespace headwise;

TEST_CASE("flat objects: values and the items of lists are kept, what is deeper is stepped over") {
  const auto object = parse_flat_object(R"({"a": 1, "b": ["x", [2, 3], {"c": 4}, null], "d": {"a": 5, "e": [6]}})");
  REQUIRE(object);
  CHECK(object->entries.size() == 3);
  CHECK(object->find("a").value == 1);
  CHECK(object->find("b").value.is_array());
  const auto& items = object->find("b").items;
  REQUIRE(items.size() == 4);
  CHECK(items[0] == "x");
  CHECK((items[1].is_array() && items[1].empty()));
  CHECK((items[2].is_object() && items[2].empty()));
  CHECK(items[3].is_null());
  CHECK((object->find("d").value.is_object() && object->find("d").items.empty()));
  CHECK(!object->has("e"));
  CHECK(object->find("e").value.is_null());
  CHECK(object->repeated.empty());
}

TEST_CASE("flat objects: a name that is there twice is told, its last value counts") {
  const auto object = parse_flat_object(R"({"a": [1, 2], "b": {"c": 1, "c": 2}, "\u0061": 3})");
  REQUIRE(object);
  CHECK(object->repeated == "a");
  CHECK(object->find("a").value == 3);
  CHECK(object->find("a").items.empty());
}

TEST_CASE("flat objects: other texts are none") {
  for (const char* text : {"", "1", "null", "[]", "[{}]", "{", "{}x", "{} {}", "\xef\xbb\xbf{}", R"({"a": 1e999})"}) {
    CAPTURE(text);
    CHECK(!parse_flat_object(text));
  }
  CHECK(!parse_flat_object(std::string("{}\0", 3)));
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(parse_flat_object("{\"a\": " + deep + "}")->find("a").items.size() == 1);
  CHECK(!parse_flat_object("{\"a\": " + deep));
}
