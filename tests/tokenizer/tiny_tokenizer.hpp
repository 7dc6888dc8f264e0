// A tokenizer.json of a few tokens, to be changed by the tests.
#pragma once

#include <headwise/tokenizer.hpp>
#include <nlohmann/json.hpp>

#include "temporary_folder.hpp"

inline nlohmann::json tiny_tokenizer() {
  return nlohmann::json::parse(R"({
    "added_tokens": [{"id": 1, "content": "[UNK]", "special": true, "normalized": false},
                     {"id": 4, "content": "[MASK]", "special": true, "normalized": false}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
                   "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "un": 5, "##aff": 6, "##able": 7,
                        "a": 8, "##a": 9, "b": 10, ",": 11, "é": 12, "x": 13}}})");
}

inline headwise::Tokenizer loaded(const TemporaryFolder& folder, const nlohmann::json& file) {
  folder.write("tokenizer.json", file.dump());
  return headwise::Tokenizer::load(folder.path().string());
}

// How the tokenizer of a folder is refused: code and message; "loaded" when it is not.
inline std::string refusal(const TemporaryFolder& folder) {
  try {
    (void)headwise::Tokenizer::load(folder.path().string());
  } catch (const headwise::Error& error) {
    return std::string(error_code_name(error.code())) + " " + error.what();
  }
  return "loaded";
}

using Ids = std::vector<std::int64_t>;
