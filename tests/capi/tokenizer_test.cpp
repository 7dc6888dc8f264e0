// Tokenizers and sentence settings through C.
#include "c_objects.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

const std::string folder = HEADWISE_TEST_DATA "/tokens/added";

headwise_text text_of(const std::string& text) {
  return {text.data(), std::int64_t(text.size())};
}

void check_same(const headwise_encoding* encoding, const Encoding& expected) {
  auto info = ready<headwise_encoding_info>();
  check_ok(headwise_encoding_get(encoding, &info));
  const auto list = [&](const std::int64_t* items) {
    return std::vector<std::int64_t>(items, items + info.num_tokens);
  };
  CHECK(info.full_length == expected.full_length);
  CHECK(list(info.ids) == expected.ids);
  CHECK(list(info.token_types) == expected.token_types);
  CHECK(list(info.starts) == expected.starts);
  CHECK(list(info.ends) == expected.ends);
  CHECK(list(info.words) == expected.words);
  CHECK(list(info.sequence_ids) == expected.sequence_ids);
}

struct Loaded {
  Tokenizer cpp = Tokenizer::load(folder);
  OwnedTokenizer c;
  Loaded() { check_ok(headwise_tokenizer_load(folder.c_str(), c.to())); }
};

}  // namespace

TEST_CASE("C tokenizer: ids, pairs, limits and tokens are those of C++") {
  const Loaded loaded;
  const std::string a = std::string("na\u00EFve [MASK] \0", 15) + "\xFF b", b = "New York";
  const headwise_text text = text_of(a), pair = text_of(b), nothing{nullptr, 0};
  OwnedEncoding plain, both, bare, empty;
  check_ok(headwise_tokenizer_encode(loaded.c, &text, nullptr, plain.to()));
  check_same(plain, loaded.cpp.encode(a));
  auto options = ready<headwise_encode_options>();
  options.pair = &pair;
  options.max_length = 7;
  check_ok(headwise_tokenizer_encode(loaded.c, &text, &options, both.to()));
  check_same(both, loaded.cpp.encode_pair(a, b, {7}));
  options = ready<headwise_encode_options>();
  options.no_special_tokens = 1;
  check_ok(headwise_tokenizer_encode(loaded.c, &text, &options, bare.to()));
  check_same(bare, loaded.cpp.encode(a, {0, false}));
  check_ok(headwise_tokenizer_encode(loaded.c, &nothing, nullptr, empty.to()));
  check_same(empty, loaded.cpp.encode(""));
}

TEST_CASE("C tokenizer: the vocabulary") {
  const Loaded loaded;
  auto info = ready<headwise_tokenizer_info>();
  check_ok(headwise_tokenizer_info_get(loaded.c, &info));
  CHECK(info.vocabulary_size == loaded.cpp.vocabulary_size());
  CHECK(info.max_length == 512);
  for (std::int64_t id = 0; id < info.vocabulary_size; ++id) {
    const char* token = nullptr;
    std::int64_t found = -2;
    check_ok(headwise_tokenizer_token(loaded.c, id, &token));
    CHECK(std::string(token) == loaded.cpp.token(id).c_str());  // some hold a NUL
    check_ok(headwise_tokenizer_find(loaded.c, token, &found));
    CHECK(found == loaded.cpp.id(token));
  }
  const char* token = nullptr;
  check_invalid({"id", std::to_string(info.vocabulary_size)},
                headwise_tokenizer_token(loaded.c, info.vocabulary_size, &token));
  check_invalid({"id", "-1"}, headwise_tokenizer_token(loaded.c, -1, &token));
  CHECK(token == nullptr);
}

TEST_CASE("C tokenizer: NULL and wrong arguments") {
  const Loaded loaded;
  const headwise_text text = text_of("a"), lost{nullptr, 3}, negative{"a", -1};
  OwnedEncoding encoding;
  const char* token = nullptr;
  std::int64_t id = 0;
  auto options = ready<headwise_encode_options>();
  auto info = ready<headwise_tokenizer_info>();
  auto tokens = ready<headwise_encoding_info>();
  OwnedTokenizer none;
  check_invalid({"path", "NULL"}, headwise_tokenizer_load(nullptr, none.to()));
  check_invalid({"tokenizer", "NULL"}, headwise_tokenizer_load(folder.c_str(), nullptr));
  check_invalid({"tokenizer", "NULL"}, headwise_tokenizer_info_get(nullptr, &info));
  check_invalid({"info", "NULL"}, headwise_tokenizer_info_get(loaded.c, nullptr));
  check_invalid({"tokenizer", "NULL"}, headwise_tokenizer_token(nullptr, 0, &token));
  check_invalid({"token", "NULL"}, headwise_tokenizer_token(loaded.c, 0, nullptr));
  check_invalid({"tokenizer", "NULL"}, headwise_tokenizer_find(nullptr, "a", &id));
  check_invalid({"token", "NULL"}, headwise_tokenizer_find(loaded.c, nullptr, &id));
  check_invalid({"id", "NULL"}, headwise_tokenizer_find(loaded.c, "a", nullptr));
  check_invalid({"tokenizer", "NULL"}, headwise_tokenizer_encode(nullptr, &text, nullptr, encoding.to()));
  check_invalid({"text", "NULL"}, headwise_tokenizer_encode(loaded.c, nullptr, nullptr, encoding.to()));
  check_invalid({"encoding", "NULL"}, headwise_tokenizer_encode(loaded.c, &text, nullptr, nullptr));
  check_invalid({"text", "NULL"}, headwise_tokenizer_encode(loaded.c, &lost, nullptr, encoding.to()));
  check_invalid({"text", "negative"}, headwise_tokenizer_encode(loaded.c, &negative, nullptr, encoding.to()));
  options.pair = &lost;
  check_invalid({"pair", "NULL"}, headwise_tokenizer_encode(loaded.c, &text, &options, encoding.to()));
  options.pair = nullptr;
  options.no_special_tokens = 2;
  check_invalid({"no_special_tokens"}, headwise_tokenizer_encode(loaded.c, &text, &options, encoding.to()));
  options.no_special_tokens = 0;
  options.max_length = 1;
  check_invalid({"max_length"}, headwise_tokenizer_encode(loaded.c, &text, &options, encoding.to()));
  check_invalid({"encoding", "NULL"}, headwise_encoding_get(nullptr, &tokens));
  CHECK(encoding.handle == nullptr);
}

TEST_CASE("C sentence settings are those of C++") {
  const TemporaryFolder files;
  files.write("config.json", R"({"max_position_embeddings": 77})");
  files.write("config_sentence_transformers.json", R"({"prompts": {"q": "query: "}, "default_prompt_name": "q"})");
  OwnedSentence sentence;
  check_ok(headwise_sentence_read(files.path().c_str(), sentence.to()));
  auto info = ready<headwise_sentence_info>();
  check_ok(headwise_sentence_get(sentence, &info));
  CHECK(info.pooling == HEADWISE_POOLING_MEAN);
  CHECK(info.normalize == 0);
  CHECK(info.max_length == 77);
  CHECK(std::string(info.max_length_source) == "config.json");
  CHECK(std::string(info.prompt) == "query: ");
  CHECK(std::string(info.prompt_source) == "config_sentence_transformers.json");
  CHECK(std::string(info.pooling_source).empty());
  CHECK(std::string(info.normalize_source).empty());
  OwnedSentence none;
  check_invalid({"folder", "NULL"}, headwise_sentence_read(nullptr, none.to()));
  check_invalid({"sentence", "NULL"}, headwise_sentence_read("x", nullptr));
  check_invalid({"sentence", "NULL"}, headwise_sentence_get(nullptr, &info));
  check_invalid({"info", "NULL"}, headwise_sentence_get(sentence, nullptr));
  check_refused(HEADWISE_IO, {"no such folder"}, headwise_sentence_read("/no/such", none.to()));
}

TEST_CASE("C pooling has the values of C++") {
  CHECK(static_cast<int>(Pooling::mean) == HEADWISE_POOLING_MEAN);
  CHECK(static_cast<int>(Pooling::cls) == HEADWISE_POOLING_CLS);
  CHECK(static_cast<int>(Pooling::max) == HEADWISE_POOLING_MAX);
}
