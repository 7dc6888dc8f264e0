// tokenizer.json from strangers: other kinds, contradictions, nonsense.
#include <doctest/doctest.h>

#include "tiny_tokenizer.hpp"

using namespace headwise;
using nlohmann::json;

namespace {

void refuse(ErrorCode code, const std::vector<std::string>& words, const std::string& text) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", text);
  CAPTURE(text.substr(0, 300));
  std::string message;
  try {
    (void)Tokenizer::load(folder.path().string());
  } catch (const Error& error) {
    CHECK(error_code_name(error.code()) == std::string(error_code_name(code)));
    message = error.what();
  }
  CHECK(message.find("tokenizer") != std::string::npos);
  for (const std::string& word : words) CHECK_MESSAGE(message.find(word) != std::string::npos, message);
}

template <class Change>
void refuse_changed(ErrorCode code, const std::vector<std::string>& words, const Change& change) {
  json file = tiny_tokenizer();
  change(file);
  refuse(code, words, file.dump());
}

}  // namespace

TEST_CASE("other kinds of tokenizers are refused by their names") {
  const auto unsupported = ErrorCode::unsupported;
  refuse_changed(unsupported, {"'BPE'", "WordPiece"}, [](json& file) {
    file["model"] = {{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", {{"a", "b"}}}};
  });
  refuse_changed(unsupported, {"'Unigram'"}, [](json& file) {
    file["model"] = {{"type", "Unigram"}, {"vocab", json::array({json::array({"a", -1.5})})}};
  });
  refuse_changed(unsupported, {"'Unigram'"}, [](json& file) {
    file["model"] = {{"vocab", json::array({json::array({"a", -1.5})})}};
  });
  refuse_changed(unsupported, {"'WordLevel'"}, [](json& file) { file["model"]["type"] = "WordLevel"; });
  refuse_changed(unsupported, {"model", "unnamed"}, [](json& file) { file["model"] = {{"vocab", {{"a", 0}}}}; });
  refuse_changed(unsupported, {"normalizer", "'NFC'"}, [](json& file) { file["normalizer"]["type"] = "NFC"; });
  refuse_changed(unsupported, {"pre_tokenizer", "'ByteLevel'"},
                 [](json& file) { file["pre_tokenizer"]["type"] = "ByteLevel"; });
  refuse_changed(unsupported, {"pre_tokenizer"}, [](json& file) { file.erase("pre_tokenizer"); });
  refuse_changed(unsupported, {"post_processor", "'ByteLevel'"},
                 [](json& file) { file["post_processor"]["type"] = "ByteLevel"; });
  refuse_changed(unsupported, {"max_input_chars_per_word", "1001"},
                 [](json& file) { file["model"]["max_input_chars_per_word"] = 1001; });
}

TEST_CASE("files that contradict themselves are refused") {
  const auto bad = ErrorCode::bad_file;
  refuse_changed(bad, {"'[UNK]'"}, [](json& file) {
    file["model"]["vocab"].erase("[UNK]");
    file["added_tokens"] = json::array();
  });
  refuse_changed(bad, {"two tokens have id 5"}, [](json& file) { file["model"]["vocab"]["new"] = 5; });
  refuse_changed(bad, {"id 1000000", "too far"}, [](json& file) { file["model"]["vocab"]["new"] = 1000000; });
  refuse_changed(bad, {"id of token 'new'"}, [](json& file) { file["model"]["vocab"]["new"] = -1; });
  refuse_changed(bad, {"id of token 'new'"}, [](json& file) { file["model"]["vocab"]["new"] = {1, 2}; });
  refuse_changed(bad, {"'[MASK]'", "5", "4"}, [](json& file) { file["added_tokens"][1]["id"] = 5; });
  refuse_changed(bad, {"id 99", "beyond"}, [](json& file) { file["post_processor"]["cls"][1] = 99; });
  refuse_changed(bad, {"no content"}, [](json& file) { file["added_tokens"][0]["content"] = ""; });
  refuse_changed(bad, {"no id"}, [](json& file) { file["added_tokens"][0].erase("id"); });
  refuse_changed(bad, {"vocab"}, [](json& file) { file["model"].erase("vocab"); });
  refuse_changed(bad, {"no model"}, [](json& file) { file.erase("model"); });
  refuse_changed(bad, {"lowercase"}, [](json& file) { file["normalizer"]["lowercase"] = 1; });
}

TEST_CASE("what is no JSON object, nests without end or has a key twice is refused") {
  const auto bad = ErrorCode::bad_file;
  for (const char* text :
       {"", "[]", "1", "{", "{\"model\":", "\xEF\xBB\xBF{}", "{}x", "{\"model\":{\"vocab\":{\"\xFF\":1}}}"}) {
    refuse(bad, {}, text);
  }
  refuse(bad, {}, std::string("{}\0", 3));
  refuse(bad, {"deeper"}, "{\"x\":" + std::string(100000, '['));
  refuse(bad, {"deeper"}, "{\"normalizer\":" + std::string(100000, '['));
  const std::string file = tiny_tokenizer().dump();
  refuse(bad, {"duplicate", "'model'"}, file.substr(0, file.size() - 1) + ",\"model\":{}}");
  std::string twice = file;
  twice.replace(twice.find("\"a\":8"), 5, "\"a\":8,\"a\":20");
  refuse(bad, {"'a'", "twice"}, twice);
  refuse(
      bad, {"more than 262,144 values"}, "{\"added_tokens\":[" + [] {
        std::string many;
        for (int i = 0; i < 300000; ++i) many += "1,";
        return many;
      }() + "1]}");
}

TEST_CASE("templates put tokens where the file says") {
  json file = tiny_tokenizer();
  const auto special = [](const char* name, int type) {
    return json{{"SpecialToken", {{"id", name}, {"type_id", type}}}};
  };
  const auto sequence = [](const char* name, int type) {
    return json{{"Sequence", {{"id", name}, {"type_id", type}}}};
  };
  file["post_processor"] = {
      {"type", "TemplateProcessing"},
      {"single", {special("[CLS]", 0), sequence("A", 0)}},
      {"pair", {sequence("B", 1), special("[CLS]", 1), sequence("A", 0)}},
      {"special_tokens", {{"[CLS]", {{"id", "[CLS]"}, {"ids", {2, 3}}, {"tokens", {"[CLS]", "[SEP]"}}}}}}};
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, file);
  CHECK(tokenizer.encode("a").ids == Ids{2, 3, 8});
  CHECK(tokenizer.encode_pair("a", "b").ids == Ids{10, 2, 3, 8});
  CHECK(tokenizer.encode_pair("a", "b").token_types == Ids{1, 1, 1, 0});
  CHECK(tokenizer.encode_pair("a", "b").sequence_ids == Ids{1, -1, -1, 0});
  refuse_changed(ErrorCode::unsupported, {"template"}, [&](json& changed) {
    changed["post_processor"] = file["post_processor"];
    changed["post_processor"]["single"] = {special("[CLS]", 0)};
  });
  refuse_changed(ErrorCode::bad_file, {"'[NEW]'"}, [&](json& changed) {
    changed["post_processor"] = file["post_processor"];
    changed["post_processor"]["single"] = {special("[NEW]", 0), sequence("A", 0)};
  });
  refuse_changed(ErrorCode::bad_file, {"neither SpecialToken nor Sequence"}, [&](json& changed) {
    changed["post_processor"] = file["post_processor"];
    changed["post_processor"]["single"] = {json{{"Other", {{"id", "A"}}}}, sequence("A", 0)};
  });
}

TEST_CASE("the tokens of BertProcessing are pairs of a token and its id") {
  const json pairs[] = {{"[SEP]"},      {"[SEP]", 3, 3}, {"[SEP]", -1},
                        {"[SEP]", 1.5}, {"[SEP]", "3"},  {"[SEP]", 1LL << 31}};
  for (const json& pair : pairs) {
    refuse_changed(ErrorCode::bad_file, {"sep", "token and its id"},
                   [&](json& file) { file["post_processor"]["sep"] = pair; });
  }
}

TEST_CASE("added tokens are of limited length and number") {
  const auto token = [](int id, const std::string& content) { return json{{"id", id}, {"content", content}}; };
  json file = tiny_tokenizer();
  file["added_tokens"].push_back(token(14, std::string(256, 'y')));
  const TemporaryFolder folder;
  CHECK(loaded(folder, file).vocabulary_size() == 15);
  refuse_changed(ErrorCode::unsupported, {"longer than 256"},
                 [&](json& changed) { changed["added_tokens"].push_back(token(14, std::string(257, 'y'))); });
  refuse_changed(ErrorCode::unsupported, {"more than 20000 added tokens"}, [&](json& changed) {
    for (int i = 14; changed["added_tokens"].size() <= 20'000; ++i) {
      changed["added_tokens"].push_back(token(i, "y" + std::to_string(i)));
    }
  });
}

TEST_CASE(
    "added tokens beyond the vocabulary have the ids behind it, as in the reference, and are no pieces of words") {
  json file = tiny_tokenizer();
  file["model"]["vocab"]["far"] = 17;
  file["added_tokens"].push_back({{"id", 20}, {"content", "xa"}, {"single_word", true}, {"normalized", false}});
  file["added_tokens"].push_back({{"id", 17}, {"content", "far"}});
  file["added_tokens"].push_back({{"id", 22}, {"content", "xb"}});
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, file);
  CHECK(tokenizer.vocabulary_size() == 19);
  CHECK(tokenizer.token(15) == "xa");
  CHECK(tokenizer.token(16).empty());
  CHECK(tokenizer.id("xa") == 15);
  CHECK(tokenizer.id("xb") == 18);
  CHECK(tokenizer.encode("xa xaa", {0, false}).ids == Ids{15, 13, 9, 9});
}

TEST_CASE("nothing is left of an added token in the white space that the one before took along") {
  json file = tiny_tokenizer();
  file["added_tokens"].push_back({{"id", 14}, {"content", "<r>"}, {"rstrip", true}, {"special", true}});
  file["added_tokens"].push_back({{"id", 15}, {"content", "\t"}, {"lstrip", true}, {"special", true}});
  file["added_tokens"].push_back({{"id", 16}, {"content", " b"}, {"lstrip", true}, {"special", true}});
  const TemporaryFolder files;
  const Tokenizer tokenizer = loaded(files, file);
  const auto ids = [&](const char* text) { return tokenizer.encode(text, {0, false}).ids; };
  CHECK(ids("a<r>\tx") == Ids{8, 14, 13});
  CHECK(ids("a<r> \t\t x\t") == Ids{8, 14, 13, 15});  // the reference panics
  CHECK(ids("a \tx") == Ids{8, 15, 13});
  const Encoding clipped = tokenizer.encode("a<r> b", {0, false});
  CHECK(clipped.ids == Ids{8, 14, 16});
  CHECK(clipped.starts == Ids{0, 1, 5});
}

TEST_CASE("an added token of which cleaning leaves nothing is refused") {
  const auto add = [](json& file) { file["added_tokens"].push_back({{"id", 14}, {"content", "\u0301"}}); };
  refuse_changed(ErrorCode::unsupported, {"'\u0301'", "nothing is left", "normalized"}, add);
  json file = tiny_tokenizer();
  add(file);
  file["added_tokens"].back()["normalized"] = false;
  const TemporaryFolder files;
  CHECK(loaded(files, file).encode("a\u0301x", {0, false}).ids == Ids{8, 14, 13});
}

TEST_CASE("the limit in tokenizer.json's truncation is that of some call, model_max_length the model's") {
  json file = tiny_tokenizer();
  file["truncation"] = {{"max_length", 3}};
  const TemporaryFolder folder;
  CHECK(loaded(folder, file).max_length() == 512);
  folder.write("tokenizer_config.json", R"({"model_max_length": 64, "chat_template": [{"x": 1}]})");
  CHECK(Tokenizer::load(folder.path().string()).max_length() == 64);
  CHECK(Tokenizer::load(folder.file("tokenizer.json")).max_length() == 64);
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  CHECK(Tokenizer::load(folder.path().string()).max_length() == 512);
  folder.write("tokenizer_config.json", R"({"model_max_length": 0})");
  CHECK_THROWS_AS((void)Tokenizer::load(folder.path().string()), Error);
}
