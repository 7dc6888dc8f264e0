// Large and repetitive files of tokenizers and encoders: the memory that they cost is bounded by their size and by the
// limits of a tree, and no number in them sizes anything.
#include <functional>

#include "expect_error.hpp"
#include "headwise/encoder.hpp"
#include "headwise/sentence.hpp"
#include "headwise/tokenizer.hpp"
#include "memory_peak.hpp"
#include "temporary_folder.hpp"

using namespace headwise;

namespace {

using Text = std::function<std::string(std::size_t)>;  // of about so many bytes

constexpr std::int64_t fixed_bytes = 1 << 20;
// What a tree may hold at once. Measured: 36 MiB for an array that grows to its limit, 45 with a key for each value.
constexpr std::int64_t tree_bytes = 48 << 20;

// Pieces, each made from its number, until there are enough.
Text filled(const std::string& begin, const std::function<std::string(std::size_t)>& piece, const std::string& end) {
  return [=](std::size_t size) {
    std::string text = begin;
    for (std::size_t i = 0; text.size() + end.size() < size; ++i) text += (i == 0 ? "" : ",") + piece(i);
    return text + end;
  };
}

Text filled(const std::string& begin, const std::string& piece, const std::string& end) {
  return filled(
      begin, [=](std::size_t) { return piece; }, end);
}

Text long_run(const std::string& begin, char letter, const std::string& end) {
  return [=](std::size_t size) { return begin + std::string(size, letter) + end; };
}

std::int64_t peak_of(const TemporaryFolder& folder, const std::string& name) {
  start_memory_peak();
  try {
    name == "modules.json" ? (void)read_sentence_settings(folder.path().string())
                           : (void)Tokenizer::load(folder.file(name));
  } catch (const Error&) {
  }
  return memory_peak();
}

void check_bounded(const std::string& name, std::int64_t bytes_a_byte, std::int64_t beside, const Text& text) {
  for (const std::size_t size : {1u << 18, 1u << 20}) {
    const TemporaryFolder folder;
    const std::string content = text(size), start = content.substr(0, 80);
    CAPTURE(start);
    CAPTURE(size);
    folder.write(name, content);
    CHECK(peak_of(folder, name) < bytes_a_byte * static_cast<std::int64_t>(content.size()) + beside);
  }
}

}  // namespace

TEST_CASE("settings of a tokenizer with many values") {
  const auto check = [](const Text& text) { check_bounded("tokenizer.json", 2, tree_bytes, text); };
  const auto key = [](std::size_t i) { return "\"" + std::to_string(i) + "\":0"; };
  check(filled(R"({"added_tokens":[)", "1", "]}"));
  check(filled(R"({"added_tokens":[)", "{}", "]}"));
  check(filled(R"({"added_tokens":[)", R"({"":1})", "]}"));
  check(filled(R"({"added_tokens":[)", R"({"content":"a","id":1})", "]}"));
  check(filled(R"({"normalizer":{)", key, "}}"));
  check_bounded("modules.json", 2, tree_bytes, filled("[", "1", "]"));
}

TEST_CASE("settings of a tokenizer that are stepped over, that nest or that are long") {
  const auto check = [](const Text& text) { check_bounded("tokenizer.json", 12, fixed_bytes, text); };
  check(filled(R"({"a":[)", "1", "]}"));
  check(filled(R"({"model":{"merges":[)", "1", "]}}"));
  check(long_run(R"({"a":)", '[', ""));
  check(long_run(R"({"added_tokens":)", '[', ""));
  check(long_run(R"({"normalizer":")", 'x', "\"}"));
  check(long_run("{\"", 'x', "\":1}"));
  check(long_run(R"({"normalizer":)", '1', "}"));
}

TEST_CASE("vocabularies of tokenizer.json") {
  const auto check = [](const std::function<std::string(std::size_t)>& entry) {
    const std::string start = R"({"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{)";
    check_bounded("tokenizer.json", 32, fixed_bytes, filled(start + "\"[UNK]\":0,", entry, "}}}"));
  };
  check([](std::size_t i) { return "\"" + std::to_string(i) + "\":" + std::to_string(i + 1); });
  check([](std::size_t) { return R"("":1)"; });
  check([](std::size_t) { return R"("a":4294967295)"; });
  check(
      [](std::size_t i) { return "\"" + std::string(2000, 'a') + std::to_string(i) + "\":" + std::to_string(i + 1); });
}

TEST_CASE("vocabularies of vocab.txt") {
  const auto check = [](const std::string& line, bool numbered) {
    // A line of one byte has a place among ids and tokens, and is sorted.
    check_bounded("vocab.txt", 80, fixed_bytes, [&](std::size_t size) {
      std::string text = "[UNK]\n[CLS]\n[SEP]\n";
      for (std::size_t i = 0; text.size() < size - 1; ++i) text += line + (numbered ? std::to_string(i) : "") + "\n";
      return text;
    });
  };
  check("", false);
  check("a", false);
  check("", true);
  check("##", true);
  check(std::string(1 << 18, 'a'), true);
}

TEST_CASE("numbers of an encoder's config.json size nothing") {
  const TemporaryFolder folder;
  const std::string model = HEADWISE_TEST_DATA "/encoders/bert/", good = read_bytes(model + "config.json");
  folder.write("model.safetensors", read_bytes(model + "model.safetensors"));
  for (const std::string key : {"hidden_size", "intermediate_size", "max_position_embeddings", "num_attention_heads",
                                "num_hidden_layers", "type_vocab_size", "vocab_size"}) {
    for (const std::string number : {"4294967296", "9223372036854775807", "1152921504606846976"}) {
      CAPTURE(key);
      CAPTURE(number);
      const std::size_t at = good.find(key) + key.size() + 3;
      folder.write("config.json", good.substr(0, at) + number + good.substr(good.find_first_of(",\n", at)));
      start_memory_peak();
      expect_error(ErrorCode::bad_file, {folder.path().string()}, [&] { Encoder::load(folder.path().string()); });
      CHECK(memory_peak() < fixed_bytes);
    }
  }
}
