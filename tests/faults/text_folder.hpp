// A model folder with all that tokenizers and embeddings read, as small as it can be.
#pragma once

#include <filesystem>

#include "temporary_folder.hpp"

class TextFolder {
 public:
  static constexpr const char* prompt = "a prompt that no string holds in itself: ";

  TextFolder() {
    write("tokenizer.json", tokenizer);
    write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able \na\n##a\na\n,\n");
    write("tokenizer_config.json",
          R"({"model_max_length": 100, "do_lower_case": true, "cls_token": {"content": "[CLS]"},
      "added_tokens_decoder": {"4": {"content": "[MASK]", "lstrip": true}, "12": {"content": "<one that is long>"}}})");
    write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
      {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}, {"type": "models.Normalize"}])");
    std::filesystem::create_directory(folder_.path() / "1_Pooling");
    write("1_Pooling/config.json", R"({"pooling_mode_cls_token": true})");
    write("sentence_bert_config.json", R"({"max_seq_length": 64})");
    write("config_sentence_transformers.json",
          R"({"prompts": {"query": ")" + std::string(prompt) + R"("}, "default_prompt_name": "query"})");
  }

  void write(const std::string& name, const std::string& content) const { folder_.write(name, content); }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  static constexpr const char* tokenizer = R"({
    "added_tokens": [{"id": 1, "content": "[UNK]", "special": true}, {"id": 4, "content": "[MASK]", "lstrip": true},
                     {"id": 12, "content": "<one that is long>", "normalized": true}],
    "normalizer": {"type": "BertNormalizer", "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
      "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
               {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[CLS]", "type_id": 1}}],
      "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}}},
    "decoder": {"type": "WordPiece", "ignored": [[1, 2], {"a": []}]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "merges": [["a", "b"]],
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "un": 5, "##aff": 6, "##able": 7,
                        "a": 8, "##a": 9, "b": 10, ",": 11}}})";

  TemporaryFolder folder_;
  std::string path_ = folder_.path().string();
};
