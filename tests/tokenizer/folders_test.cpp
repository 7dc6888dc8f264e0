// What transformers makes of model folders whose files say different things, written by
// tests/data/make_token_folders.py.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tiny_tokenizer.hpp"

using namespace headwise;
using nlohmann::json;

namespace {

json read_folders() {
  std::ifstream stream(HEADWISE_TEST_DATA "/token_folders.json");
  return json::parse(stream);
}

void fill(const TemporaryFolder& folder, const json& all, const json& given) {
  for (const auto& [name, content] : given.at("files").items()) folder.write(name, content.dump());
  if (given.at("base") == "vocab.txt") {
    std::string lines;
    for (const std::string& word : all.at("vocabulary").get<std::vector<std::string>>()) lines += word + "\n";
    folder.write("vocab.txt", lines);
  } else {
    json file = all.at("tokenizer");
    file.merge_patch(given.at("patch"));
    folder.write("tokenizer.json", file.dump());
  }
}

void refuse(const std::string& name, const json& content, const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  folder.write("tokenizer.json", tiny_tokenizer().dump());
  folder.write("config.json", R"({"model_type": "bert"})");
  folder.write(name, content.dump());
  const std::string message = refusal(folder);
  for (const std::string& word : words) CHECK_MESSAGE(message.find(word) != std::string::npos, message);
}

}  // namespace

TEST_CASE("tokens of folders are those of transformers: ids and bytes") {
  const json all = read_folders();
  CHECK(all.at("folders").size() > 80);
  for (const json& given : all["folders"]) {
    CAPTURE(given["name"].get<std::string>() + ", " + given["base"].get<std::string>());
    const TemporaryFolder folder;
    fill(folder, all, given);
    const Tokenizer tokenizer = Tokenizer::load(folder.path().string());
    for (std::size_t i = 0; i < all["texts"].size(); ++i) {
      const Encoding found = tokenizer.encode(all["texts"][i].get<std::string>());
      CHECK(json{found.ids, found.starts, found.ends} == given["tokens"][i]);
    }
  }
}

TEST_CASE("where versions of transformers differ, a folder that contradicts itself is refused by both files") {
  const std::string config = "tokenizer_config.json", map = "special_tokens_map.json";
  const auto check = [](const std::string& name, const char* key, const char* token) {
    refuse(name, {{key, token}}, {"unsupported ", name, "tokenizer.json'", key, token, "files of one model"});
  };
  check(config, "cls_token", "b");
  check(map, "sep_token", "b");
  check(config, "unk_token", "b");
  refuse(config, {{"cls_token", "[CLS]"}, {"sep_token", "[SEP]"}, {"unk_token", "[UNK]"}}, {"loaded"});
  refuse(config, {{"added_tokens_decoder", {{"5", {{"content", "b"}}}}}},
         {"bad_file ", config, "tokenizer.json'", "'b'", "id 5", "it is 10"});
}

TEST_CASE("what is wrong with a file beside the vocabulary is said with its name") {
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    refuse(name, {{"mask_token", 1}}, {"bad_file ", name, "mask_token"});
    refuse(name, {{"mask_token", json::object()}}, {"bad_file ", name, "no content"});
    refuse(name, {{"mask_token", std::string(257, 'x')}}, {"unsupported ", name, "256"});
    refuse(name, {{"additional_special_tokens", "<x>"}}, {"bad_file ", name, "additional_special_tokens"});
    refuse(name, {{"extra_special_tokens", {1}}}, {"bad_file ", name, "extra_special_tokens"});
  }
  for (const json& id : {json(-1), json("4"), json(1.5), json(1LL << 31), json(nullptr)}) {
    refuse("added_tokens.json", {{"<x>", id}}, {"bad_file ", "added_tokens.json", "<x>"});
  }
  refuse("added_tokens.json", {{std::string(257, 'x'), 14}}, {"unsupported ", "added_tokens.json", "256"});
  refuse("config.json", json::array(), {"bad_file ", "config.json"});
  json many;
  for (int i = 0; i < 20'001; ++i) many["y" + std::to_string(i)] = 14 + i;
  refuse("added_tokens.json", many, {"unsupported ", "more than 20000 added tokens"});
}

TEST_CASE("an id in the vocabulary that is none makes no other id") {
  for (const std::uint64_t id : {std::uint64_t{INT64_MAX}, UINT64_MAX, std::uint64_t{1} << 31}) {
    json file = tiny_tokenizer();
    file["model"]["vocab"]["[PAD]"] = id;
    refuse("tokenizer.json", file, {"bad_file ", "'[PAD]'", "too far"});
  }
}

TEST_CASE("a link to nowhere is no missing file") {
  for (const char* name : {"special_tokens_map.json", "added_tokens.json", "config.json", "tokenizer_config.json"}) {
    const TemporaryFolder folder;
    folder.write("tokenizer.json", tiny_tokenizer().dump());
    std::filesystem::create_symlink("nowhere", folder.path() / name);
    CHECK(refusal(folder).find(name) != std::string::npos);
  }
}
