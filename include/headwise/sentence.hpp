// What a model folder says about sentence embeddings, in the files that sentence-transformers writes.
#pragma once

#include <cstdint>
#include <string>

#include "headwise/error.hpp"
#include "headwise/pooling.hpp"

namespace headwise {

// Beside each setting stands the file that it comes from, by its name in the folder; "" when none says it, and what
// sentence-transformers takes for such a folder was assumed.
struct SentenceSettings {
  Pooling pooling = Pooling::mean;  // 1_Pooling/config.json, where modules.json has a Pooling
  std::string pooling_source{};
  bool normalize = false;  // divided by its Euclidean norm: modules.json has a Normalize
  std::string normalize_source{};
  // Tokens of a text, special ones too: max_seq_length of sentence_bert_config.json (or of the older
  // sentence_roberta_config.json, … that stands for it), else the smallest that config.json (max_position_embeddings)
  // and tokenizer_config.json (model_max_length) name, else 512.
  std::int64_t max_length = 512;
  std::string max_length_source{};
  std::string prompt{};  // stands before every text: the default prompt of config_sentence_transformers.json
  std::string prompt_source{};
};

// A folder without any of these files has the defaults: that is what a plain transformer model is. Throws Error(io)
// when there is no such folder, Error(bad_file) for files that break their rules, and Error(unsupported) for what
// headwise does not do (other ways of pooling, Dense layers, do_lower_case for a tokenizer that keeps capital letters),
// naming it. Only where do_lower_case is set is the tokenizer read, with the errors of Tokenizer::load. Thread-safe.
HEADWISE_API SentenceSettings read_sentence_settings(const std::string& folder);

}  // namespace headwise
