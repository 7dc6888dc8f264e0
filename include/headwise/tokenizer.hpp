// Text to token ids: WordPiece as BERT does it, with the ids of Hugging Face's fast tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headwise/error.hpp"

namespace headwise {

struct EncodeOptions {
  std::int64_t max_length = 0;  // tokens, special ones too, after which a text is cut; 0: Tokenizer::max_length()
  bool special_tokens = true;   // [CLS] and [SEP], where the files say that they belong
};

// One text, or a pair of them, as tokens. All vectors are as long as ids.
struct Encoding {
  std::vector<std::int64_t> ids{};
  std::vector<std::int64_t> token_types{};     // as the tokenizer's file says: 0 and 1, or 0 for all, as RoBERTa has it
  std::vector<std::int64_t> starts{}, ends{};  // bytes of its own text that a token covers; tokens put in: 0, 0
  std::vector<std::int64_t> words{};  // which word of its own text, counted from 0 (a punctuation mark is one, and
                                      // so is a special token that stands in the text); tokens put in: −1
  std::vector<std::int64_t> sequence_ids{};  // 0: of the text, 1: of its pair, −1: tokens put in
  std::int64_t full_length = 0;              // tokens before cutting: more than ids.size() when the text was cut
};

// Reads text in UTF-8. Bytes that are none count as U+FFFD, one for each longest start of a character, as Python's
// errors="replace" puts it (Unicode 15.0, section 3.9, "Substitution of Maximal Subparts"). A NUL is a character like
// any other. The time goes with the length of the text, whatever it holds. Immutable: any number of threads may use
// one, and copies share what they hold.
class HEADWISE_API Tokenizer {
 public:
  // A folder with tokenizer.json, or with vocab.txt, or the path of one of them. What stands beside it counts as it
  // does for transformers' AutoTokenizer: tokenizer_config.json, special_tokens_map.json, added_tokens.json, and
  // config.json for the class. For BERT's classes do_lower_case and its like count instead of tokenizer.json's, with
  // the defaults of an uncased model where nothing is said. Throws Error(io), Error(bad_file) for files that break
  // their rules or contradict each other, Error(unsupported) for tokenizers other than BERT's WordPiece, naming the
  // kind, and when libutf8proc is not there.
  static Tokenizer load(const std::string& path);

  // Throws Error(invalid_argument) when max_length has no room for the special tokens.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  // Cuts the longer text first, as "longest_first" does.
  Encoding encode_pair(std::string_view text, std::string_view pair, const EncodeOptions& options = {}) const;

  std::int64_t vocabulary_size() const noexcept;  // every id is below it
  // The token of an id, as the vocabulary writes it ("##ing"); "" for an id in a gap. Stays as long as a copy of the
  // tokenizer does. Throws Error(invalid_argument) for an id outside 0 … vocabulary_size() − 1.
  const std::string& token(std::int64_t id) const;
  std::int64_t id(std::string_view token) const;  // −1: the vocabulary has no such token
  // model_max_length of tokenizer_config.json, 512 when nothing is said. The limit in tokenizer.json's "truncation" is
  // that of some earlier call, and as little believed here as in Hugging Face's transformers.
  std::int64_t max_length() const noexcept;

 private:
  struct State;
  explicit Tokenizer(std::shared_ptr<const State> state) noexcept;

  std::shared_ptr<const State> state_;
};

}  // namespace headwise
