// What Hugging Face's tokenizers makes of lines in many scripts, written by tests/data/make_tokens.py.
#include <doctest/doctest.h>

#include <fstream>
#include <thread>

#include "tiny_tokenizer.hpp"

using namespace headwise;
using nlohmann::json;

namespace {

const std::string folder = HEADWISE_TEST_DATA "/tokens/";

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

Encoding encode(const Tokenizer& tokenizer, const json& test) {
  const EncodeOptions options{test.at("max_length").get<std::int64_t>()};
  if (test.contains("text")) return tokenizer.encode(bytes_of(test["text"][0]), options);
  return tokenizer.encode_pair(bytes_of(test["pair"][0]), bytes_of(test["pair"][1]), options);
}

void check_line(const Tokenizer& tokenizer, const json& test) {
  const Encoding found = encode(tokenizer, test);
  CHECK(found.ids == test["ids"].get<Ids>());
  CHECK(found.token_types == test["token_types"].get<Ids>());
  CHECK(found.starts == test["starts"].get<Ids>());
  CHECK(found.ends == test["ends"].get<Ids>());
  CHECK(found.words == test["words"].get<Ids>());
  CHECK(found.sequence_ids == test["sequence_ids"].get<Ids>());
  CHECK(found.full_length >= std::int64_t(found.ids.size()));
}

}  // namespace

TEST_CASE("tokens are those of the reference: ids, types, bytes and words") {
  for (const char* name : {"added", "lower_accents"}) {
    CAPTURE(name);
    const Tokenizer tokenizer = Tokenizer::load(folder + name);
    std::ifstream file(folder + name + "/expected.jsonl");
    int lines = 0;
    for (std::string line; std::getline(file, line); ++lines) {
      CAPTURE(line);
      check_line(tokenizer, json::parse(line));
    }
    CHECK(lines > 50);
  }
}

TEST_CASE("threads share a tokenizer") {
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, tiny_tokenizer());
  const Ids expected{2, 5, 6, 7, 3};
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int& count : wrong) {
    threads.emplace_back([&count, &expected, copy = tokenizer] {
      for (int i = 0; i < 200; ++i) count += copy.encode("Unaffable").ids != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("vocabulary, limits and special tokens can be asked for and left out") {
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, tiny_tokenizer());
  CHECK(tokenizer.vocabulary_size() == 14);
  CHECK(tokenizer.max_length() == 512);
  CHECK(tokenizer.token(7) == "##able");
  CHECK(tokenizer.id("##able") == 7);
  CHECK(tokenizer.id("able") == -1);
  CHECK(tokenizer.id("") == -1);
  CHECK_THROWS_AS((void)tokenizer.token(14), Error);
  CHECK_THROWS_AS((void)tokenizer.token(-1), Error);
  CHECK(tokenizer.encode("a, a", {0, false}).ids == Ids{8, 11, 8});
  CHECK(tokenizer.encode_pair("a", "b", {0, false}).token_types == Ids{0, 1});
}

TEST_CASE("a text is cut to the limit, and says so; a limit without room for special tokens is refused") {
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, tiny_tokenizer());
  const Encoding cut = tokenizer.encode("a b a b a", {4});
  CHECK(cut.ids == Ids{2, 8, 10, 3});
  CHECK(cut.full_length == 7);
  CHECK(tokenizer.encode("a b a b a").full_length == 7);
  CHECK(tokenizer.encode("a", {2}).ids == Ids{2, 3});
  CHECK_THROWS_WITH_AS((void)tokenizer.encode("a", {1}), "max_length is 1, but the special tokens are 2", Error);
  CHECK_THROWS_AS((void)tokenizer.encode("a", {-1}), Error);
  CHECK_THROWS_AS((void)tokenizer.encode_pair("a", "b", {2}), Error);
  CHECK(tokenizer.encode_pair("a b a b a", "b", {6}).ids == Ids{2, 8, 10, 3, 10, 3});
}

TEST_CASE("characters that changed between versions of Unicode are what the reference takes them for") {
  json file = tiny_tokenizer();
  std::int64_t next = 14;
  for (const char* token : {"##\u1DF6", "\u166D", "\u0264", "##\U00011938", "##\u302E", "##\U00016FF0", "##\u1B44"}) {
    file["model"]["vocab"][token] = next++;
  }
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, file);
  const auto ids = [&](const char* text) { return tokenizer.encode(text, {0, false}).ids; };
  CHECK(ids("a\u1DF6") == Ids{8, 14});                // a mark since Unicode 9: not dropped
  CHECK(ids("a\u166Da") == Ids{8, 15, 8});            // punctuation until Unicode 11
  CHECK(ids("\uA7CB") == Ids{16});                    // a capital since Unicode 16
  CHECK(ids("a\u1734") == Ids{8});                    // nonspacing until Unicode 13
  CHECK(ids("a\U00011938") == Ids{8, 17});            // decomposes since Unicode 13
  CHECK(ids("a\u302E\U00016FF0") == Ids{8, 18, 19});  // in order since Unicode 13: stays
  CHECK(ids("a\u302E\u1B44") == Ids{8, 20, 18});      // in order before: put in order
}
