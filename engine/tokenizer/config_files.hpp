// The small files beside a tokenizer's vocabulary that transformers reads with it.
#pragma once

#include <optional>
#include <string>

#include "normalizer.hpp"
#include "sentence_files.hpp"

namespace headwise {

// What transformers makes of the files goes by the class of the tokenizer.
struct TokenizerClass {
  std::string name{};   // as a file gives it; "" when none does
  std::string file{};   // which one
  bool cleans = false;  // how texts are cleaned is said by tokenizer_config.json, by its defaults where it is silent
  bool has_tokens = false;  // [UNK], [SEP], [PAD], [CLS] and [MASK] are added tokens, unless files name others
};

// Files that are not there are empty. special_tokens_map.json and added_tokens.json are not read where
// tokenizer_config.json has an added_tokens_decoder.
struct ConfigFiles {
  std::optional<SentenceFile> config{}, special_map{}, added{};
  TokenizerClass kind{};
};

ConfigFiles open_config_files(const std::string& folder);

// do_lower_case, strip_accents and tokenize_chinese_chars; the defaults are those of an uncased model.
void read_cleaning(const ConfigFiles& files, NormalizerSettings& to);

}  // namespace headwise
