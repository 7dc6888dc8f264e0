// vocab.txt and tokenizer_config.json.
#include <doctest/doctest.h>

#include "tiny_tokenizer.hpp"

using namespace headwise;

namespace {

const std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nA\n\u00E4\nb\n\u4E2D\n";

Ids ids(const TemporaryFolder& folder, const std::string& text) {
  return Tokenizer::load(folder.path().string()).encode(text, {0, false}).ids;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("vocab.txt alone is that of an uncased model") {
  const TemporaryFolder folder;
  folder.write("vocab.txt", words);
  CHECK(ids(folder, "A \u00E4 [MASK]") == Ids{5, 5, 4});
  const Tokenizer tokenizer = Tokenizer::load(folder.file("vocab.txt"));
  CHECK(tokenizer.encode("b").ids == Ids{2, 9, 3});
  CHECK(tokenizer.encode_pair("b", "a").token_types == Ids{0, 0, 0, 1, 1});
  CHECK(tokenizer.vocabulary_size() == 11);
}

TEST_CASE("tokenizer_config.json says how texts are cleaned") {
  const TemporaryFolder folder;
  folder.write("vocab.txt", words);
  folder.write("tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK(ids(folder, "A \u00E4") == Ids{7, 8});
  folder.write("tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": false})");
  CHECK(ids(folder, "A \u00C4") == Ids{5, 8});
  folder.write("tokenizer_config.json", R"({"do_lower_case": false, "strip_accents": true})");
  CHECK(ids(folder, "\u00E4") == Ids{5});
  folder.write("tokenizer_config.json", R"({"tokenize_chinese_chars": false})");
  CHECK(ids(folder, "\u4E2D\u4E2D") == Ids{1});
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "DistilBertTokenizer"})");
  CHECK(ids(folder, "\u4E2D\u4E2D") == Ids{10, 10});
  folder.write("tokenizer_config.json", R"({"cls_token": "b", "sep_token": {"content": "A"}})");
  CHECK(Tokenizer::load(folder.path().string()).encode("").ids == Ids{9, 7});
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"11": {"content": "<x>", "special": true}}})");
  CHECK(ids(folder, "a<x>a") == Ids{5, 11, 5});
}

TEST_CASE("lines end as the reference has it, and the last of equal tokens counts") {
  const TemporaryFolder folder;
  folder.write("vocab.txt", "[UNK]\r\n[CLS] \n[SEP]\t\na\u3000\n\na\n\u00A0\nb");
  const Tokenizer tokenizer = Tokenizer::load(folder.path().string());
  CHECK(tokenizer.vocabulary_size() == 8);
  CHECK(tokenizer.encode("a b", {0, false}).ids == Ids{5, 7});
  CHECK(tokenizer.token(3).empty());
  CHECK(tokenizer.token(4).empty());
}

TEST_CASE("files that cannot be are refused, and messages say what to do") {
  const TemporaryFolder folder;
  CHECK(has(refusal(folder), "io "));
  CHECK(has(refusal(folder), "no tokenizer.json and no vocab.txt"));
  folder.write("merges.txt", "");
  CHECK(has(refusal(folder), "unsupported "));
  CHECK(has(refusal(folder), "byte-pair"));
  folder.write("vocab.txt", "a\nb\n");
  CHECK(has(refusal(folder), "'[CLS]'"));
  folder.write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n\xFF\n");
  CHECK(has(refusal(folder), "not UTF-8"));
  folder.write("vocab.txt", words);
  folder.write("tokenizer_config.json", R"({"tokenizer_class": "BertJapaneseTokenizer"})");
  CHECK(has(refusal(folder), "unsupported "));
  CHECK(has(refusal(folder), "'BertJapaneseTokenizer'"));
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"x": {"content": "a"}}})");
  CHECK(has(refusal(folder), "bad_file "));
  folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {"4294967296": {"content": "new"}}})");
  CHECK(has(refusal(folder), "bad_file "));
  folder.write("tokenizer_config.json", "{");
  CHECK(has(refusal(folder), "bad_file "));
}
