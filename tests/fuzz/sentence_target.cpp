// The small files of a model folder, each in turn beside good ones: what they say about embeddings and about a
// tokenizer makes sense, or they are refused. modules.json holds an array, each of the others an object.
#include <deque>

#include "headwise/sentence.hpp"
#include "headwise/tokenizer.hpp"
#include "json_model.hpp"
#include "target.hpp"

using namespace headwise;

namespace {

constexpr std::int64_t longest_model = 1 << 24;
constexpr struct {
  const char* name;
  bool of_sentences, of_tokenizer;  // who reads it
} names[] = {{"modules.json", true, false},
             {"1_Pooling/config.json", true, false},
             {"sentence_bert_config.json", true, false},
             {"sentence_xlnet_config.json", true, false},
             {"config_sentence_transformers.json", true, false},
             {"config.json", true, true},
             {"tokenizer_config.json", true, true},
             {"special_tokens_map.json", false, true},
             {"added_tokens.json", false, true}};

// A folder in which the input stands in the place of one file.
struct ModelFolder {
  std::string replaced;
  bool of_sentences, of_tokenizer;
  TemporaryFolder files{};

  ModelFolder(const auto& file, const std::string& input)
      : replaced(file.name), of_sentences(file.of_sentences), of_tokenizer(file.of_tokenizer) {
    std::filesystem::create_directory(files.path() / "1_Pooling");
    std::filesystem::create_symlink(input, files.path() / replaced);
    write("modules.json", R"([{"type": "models.Pooling", "path": "1_Pooling"}, {"type": "models.Normalize"}])");
    write("1_Pooling/config.json", R"({"pooling_mode_cls_token": true})");
    write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n[MASK]\n[PAD]\nb\n");
  }
  void write(const std::string& file, const char* text) const {
    if (replaced != file) files.write(file, text);
  }
  std::string path() const { return files.path().string(); }
  Json::Kind kind() const { return replaced == "modules.json" ? Json::Kind::array : Json::Kind::object; }
};

bool is_limit(std::int64_t length) {
  return length > 0 && length <= longest_model;
}

void check_settings(const SentenceSettings& settings) {
  require(is_limit(settings.max_length), "a limit is a number of tokens");
  require(settings.pooling_source == "1_Pooling/config.json", "a Pooling is that of the folder");
  require(is_utf8(settings.prompt), "a prompt is a text");
  require(settings.prompt.empty() || !settings.prompt_source.empty(), "a prompt comes from a file");
}

void check_tokenizer(const Tokenizer& tokenizer, std::string_view text) {
  require(is_limit(tokenizer.max_length()), "a limit is a number of tokens");
  for (const std::int64_t id : tokenizer.encode(text, {1 << 20, false}).ids) {
    require(id >= 0 && id < tokenizer.vocabulary_size(), "ids are those of the vocabulary");
  }
}

void read_folder(const ModelFolder& folder, std::string_view text, const std::optional<Json>& model) {
  const auto require_kind = [&] { require(model && model->kind == folder.kind(), "only its kind of JSON is read"); };
  const auto check = [&](bool is_read, const auto& read) {
    if (!is_read) return;
    accepted([&] {
      read();
      require_kind();
    });
  };
  check(folder.of_sentences, [&] { check_settings(read_sentence_settings(folder.path())); });
  check(folder.of_tokenizer, [&] { check_tokenizer(Tokenizer::load(folder.path()), text); });
}

std::deque<ModelFolder> make_folders(const std::string& input) {
  std::deque<ModelFolder> folders;
  for (const auto& name : names) folders.emplace_back(name, input);
  return folders;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const InputFolder input("input.json");
  static const std::deque<ModelFolder> folders = make_folders(input.input());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  input.write(text);
  const auto model = parse_json(text);
  for (const ModelFolder& folder : folders) read_folder(folder, text, model);
  return 0;
}
