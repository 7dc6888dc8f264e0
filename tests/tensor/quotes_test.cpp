#include "quotes.hpp"

#include <doctest/doctest.h>

using namespace headwise;

TEST_CASE("names in messages are quoted and hide nothing") {
  CHECK(in_quotes("a.b") == "'a.b'");
  CHECK(in_quotes("") == "''");
  CHECK(in_quotes("Привет 🐌") == "'Привет 🐌'");
  CHECK(in_quotes("a\nb\x1b[2J") == "'a\\x0ab\\x1b[2J'");
  CHECK(in_quotes("a\xc2\x9b\xc2\x80\xc2\x9f\xc2\xa0") == "'a\\xc2\\x9b\\xc2\\x80\\xc2\\x9f\xc2\xa0'");
  CHECK(in_quotes("it's") == "'it\\x27s'");
  CHECK(in_quotes(std::string_view("a\0b", 3)) == "'a\\x00b'");
}

TEST_CASE("bytes that are no UTF-8 are escaped, so that messages always are") {
  CHECK(in_quotes("\xff") == "'\\xff'");
  CHECK(in_quotes("\xc0\xaf") == "'\\xc0\\xaf'");           // overlong
  CHECK(in_quotes("\xed\xa0\x80") == "'\\xed\\xa0\\x80'");  // a surrogate
  CHECK(in_quotes("\xf4\x90\x80\x80") == "'\\xf4\\x90\\x80\\x80'");
  CHECK(in_quotes("\xe2\x82") == "'\\xe2\\x82'");  // cut short
  CHECK(in_quotes("\xe2\x28\xa1") == "'\\xe2(\\xa1'");
}

TEST_CASE("long names are shortened") {
  CHECK(in_quotes(std::string(1'000'000, 'a')).size() < 130);
}
