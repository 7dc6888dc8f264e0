// Every allocation of loading tokenizers, encoding texts and reading settings of embeddings fails once.
#include <filesystem>

#include "each_failure.hpp"
#include "headwise/sentence.hpp"
#include "headwise/tokenizer.hpp"
#include "text_folder.hpp"

using namespace headwise;

namespace {

// Added tokens, marks, Chinese, long and unknown words, bytes that are no UTF-8.
const std::string text = "Unaffable [MASK] na\u0131\u0308ve \u4E2D, unknown\xFF " + std::string(200, 'a');
const std::string pair = "b, a";

void check_load(const std::string& path) {
  CAPTURE(path);
  const std::vector<std::int64_t> expected = Tokenizer::load(path).encode(text).ids;
  const auto load = [&](Fault& fault) {
    fault([&] { Tokenizer::load(path); });
    CHECK(Tokenizer::load(path).encode(text).ids == expected);
  };
  CHECK(fail_each_allocation(load) > 50);
}

void check_refused(const std::string& file, const std::string& content, ErrorCode code) {
  CAPTURE(content);
  const TemporaryFolder folder;
  const std::string path = folder.write(file, content);
  CHECK(fail_each_allocation([&](Fault& fault) { CHECK(!fault([&] { Tokenizer::load(path); }, code)); }) > 0);
}

}  // namespace

TEST_CASE("out of memory: loading a tokenizer from tokenizer.json and from vocab.txt") {
  const TextFolder folder;
  check_load(folder.file("tokenizer.json"));
  check_load(folder.file("vocab.txt"));
}

TEST_CASE("out of memory: loading a tokenizer with the files beside it") {
  const TextFolder folder;
  folder.write("config.json", R"({"model_type": "bert"})");
  folder.write("tokenizer_config.json", R"({"mask_token": {"content": "[MASK]", "lstrip": true}, "do_lower_case": true,
      "additional_special_tokens": ["<another that is long>"]})");
  folder.write("special_tokens_map.json", R"({"pad_token": "[PAD]", "bos_token": "<a beginning that is long>"})");
  folder.write("added_tokens.json", R"({"<an added one that is long>": 16})");
  check_load(folder.file("tokenizer.json"));
  check_load(folder.file("vocab.txt"));
}

TEST_CASE("out of memory: encoding a text and a pair, and looking tokens up") {
  const TextFolder folder;
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  const Encoding one = tokenizer.encode(text), two = tokenizer.encode_pair(text, pair, {.max_length = 9});
  const auto encode = [&](Fault& fault) {
    fault([&] { tokenizer.encode(text); });
    CHECK(tokenizer.encode(text).ids == one.ids);
  };
  const auto encode_pair = [&](Fault& fault) {
    fault([&] { tokenizer.encode_pair(text, pair, {.max_length = 9}); });
    CHECK(tokenizer.encode_pair(text, pair, {.max_length = 9}).ids == two.ids);
  };
  CHECK(fail_each_allocation(encode) > 20);
  CHECK(fail_each_allocation(encode_pair) > 20);
  CHECK(fail_each_allocation([&](Fault& fault) { fault([&] { tokenizer.id(text); }); }) > 0);
}

TEST_CASE("out of memory: what a tokenizer refuses") {
  const TextFolder folder;
  const Tokenizer tokenizer = Tokenizer::load(folder.path());
  const auto check = [](const auto& part) {
    const auto refuse = [&](Fault& fault) { CHECK(!fault(part, ErrorCode::invalid_argument)); };
    CHECK(fail_each_allocation(refuse) > 0);
  };
  check([&] { tokenizer.token(-1); });
  check([&] { tokenizer.encode(text, {.max_length = -1}); });
  check([&] { tokenizer.encode_pair(text, pair, {.max_length = 1}); });
}

TEST_CASE("out of memory: files of tokenizers that are refused") {
  // The tree is whole, half-made or as deep as it may be when its reader stops.
  const std::string unigram = R"({"model": {"type": "Unigram", "vocab": {"a": 1}}, "added_tokens": [[], {"a": [1]}]})";
  check_refused("tokenizer.json", unigram, ErrorCode::unsupported);
  check_refused("tokenizer.json", R"({"normalizer": {"a": [[1, {"b": "c"}]], "d": )", ErrorCode::bad_file);
  check_refused("tokenizer.json", R"({"normalizer": {"a": [{"b": [1], "b": 2}]}})", ErrorCode::bad_file);
  check_refused("tokenizer.json", "{\"model\":" + std::string(100, '['), ErrorCode::bad_file);
  check_refused("vocab.txt", "a\nb\n", ErrorCode::bad_file);
  check_refused("vocab.txt", "a\xFF\n", ErrorCode::bad_file);
}

TEST_CASE("out of memory: settings of embeddings") {
  const TextFolder folder;
  const auto read = [&](Fault& fault) {
    fault([&] { read_sentence_settings(folder.path()); });
    CHECK(read_sentence_settings(folder.path()).prompt == TextFolder::prompt);
  };
  CHECK(fail_each_allocation(read) > 50);
  folder.write("modules.json", R"([{"type": "Dense", "path": [{"a": [1]}, {}]}])");
  const auto refuse = [&](Fault& fault) {
    CHECK(!fault([&] { read_sentence_settings(folder.path()); }, ErrorCode::unsupported));
  };
  CHECK(fail_each_allocation(refuse) > 20);
}
