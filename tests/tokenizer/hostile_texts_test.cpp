// Texts that strangers send: no UTF-8, no end, no sense. Nothing here is timed; what is not linear does not end.
#include <doctest/doctest.h>

#include <numeric>

#include "tiny_tokenizer.hpp"

using namespace headwise;

namespace {

const Tokenizer& tiny() {
  static const TemporaryFolder files;
  static const Tokenizer tokenizer = loaded(files, tiny_tokenizer());
  return tokenizer;
}

nlohmann::json keeping_everything() {
  nlohmann::json file = tiny_tokenizer();
  file["normalizer"]["clean_text"] = false;
  file["model"]["vocab"]["\uFFFD"] = 14;
  file["model"]["vocab"]["##\uFFFD"] = 15;
  return file;
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

}  // namespace

TEST_CASE("each longest start of a character that does not go on becomes one U+FFFD") {
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, keeping_everything());
  const auto count = [&](const std::string& bytes) { return tokenizer.encode(bytes, {0, false}).ids.size(); };
  CHECK(count("\xFF") == 1);
  CHECK(count("\xC3") == 1);
  CHECK(count("\xC0\x80") == 2);              // overlong
  CHECK(count("\xE2\x82") == 1);              // cut
  CHECK(count("\xE0\x80\xAF") == 3);          // overlong
  CHECK(count("\xED\xA0\x80") == 3);          // a surrogate
  CHECK(count("\xF0\x9F\x98") == 1);          // cut
  CHECK(count("\xF0\x9F\x98\x41\xF0") == 3);  // cut, "A", cut
  CHECK(count("\xF4\x90\x80\x80") == 4);      // above U+10FFFF
  CHECK(count("\xF1\x80\x80\xE1\x80\xC2") == 3);
  CHECK(tiny().encode("\xFF\xC3(a", {0, false}).ids == Ids{1, 8});  // cleaning drops them
}

TEST_CASE("a NUL is dropped by cleaning, else a character of its word") {
  CHECK(tiny().encode(std::string_view("a\0a", 3), {0, false}).ids == Ids{8, 9});
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, keeping_everything());
  CHECK(tokenizer.encode(std::string_view("a\0a", 3), {0, false}).ids == Ids{1});
}

TEST_CASE("a megabyte without a space, of marks, of brackets, of unknown bytes takes a moment") {
  constexpr std::size_t size = 1 << 20;
  CHECK(tiny().encode(repeated("a", size)).ids == Ids{2, 1, 3});
  CHECK(tiny().encode(repeated("[", size)).full_length == std::int64_t(size) + 2);
  CHECK(tiny().encode(repeated("[MASK", size)).ids.size() == 512);
  CHECK(tiny().encode(repeated("[MASK]", size), {1 << 30}).ids[1] == 4);
  CHECK(tiny().encode(repeated("\xFF", size)).ids == Ids{2, 3});
  CHECK(tiny().encode("a" + repeated("\u302E\u1B44", size)).ids == Ids{2, 1, 3});
  CHECK(tiny().encode(repeated(",", size)).full_length == std::int64_t(size) + 2);
  CHECK(tiny().encode(repeated("\u4E2D", size)).full_length == std::int64_t(size / 3 + 1) + 2);
}

TEST_CASE("a hostile vocabulary of long tokens does not make it slow") {
  nlohmann::json file = tiny_tokenizer();
  file["model"]["max_input_chars_per_word"] = 1000;
  file["model"]["vocab"][std::string(999, 'a') + "b"] = 14;
  file["model"]["vocab"]["##" + std::string(999, 'a') + "b"] = 15;
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, file);
  const Encoding found = tokenizer.encode(repeated(std::string(1000, 'a') + " ", 1 << 17), {1 << 30});
  CHECK(found.ids.size() > (1 << 17) - 200);
}

TEST_CASE("special tokens typed in a text are found, whatever stands beside them") {
  CHECK(tiny().encode("a[MASK]b [MASK] [mask]", {0, false}).ids == Ids{8, 4, 10, 4, 1, 1, 1});
  const Encoding found = tiny().encode("a [MASK]b");
  CHECK(found.starts == Ids{0, 0, 2, 8, 0});
  CHECK(found.ends == Ids{0, 1, 8, 9, 0});
  CHECK(found.words == Ids{-1, 0, 1, 2, -1});
}
