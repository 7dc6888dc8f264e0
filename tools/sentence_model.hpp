// A model folder that makes embeddings of texts: tokenizer, encoder and what the folder says about pooling.
#pragma once

#include <cstdint>
#include <headwise/headwise.hpp>
#include <optional>
#include <string>
#include <vector>

#include "summary.hpp"
#include "text_model.hpp"

namespace CLI {
class App;
}

namespace headwise::tools {

struct SentenceOptions {
  CommonOptions common;
  std::string folder;
  std::optional<Pooling> pooling;  // what is not given is as the folder says
  std::optional<bool> normalize;
  std::int64_t max_length = 0;
  std::optional<std::string> prompt;
  std::string isa;
  SessionOptions session;
};

// The folder, and how texts become embeddings. The caller keeps `options` alive until the command line is parsed.
void add_sentence_options(CLI::App& app, SentenceOptions& options);

const char* pooling_word(Pooling pooling);

// A cosine does not depend on the lengths of the embeddings.
enum class SentenceUse { embedding, cosine };

class SentenceModel {
 public:
  // Throws Error, and CommandError where tokenizer, model and options do not fit each other.
  SentenceModel(const SentenceOptions& options, const Console& console);

  // Counts the text, and whether it was cut.
  Encoding encode(const std::string& text);
  // [B, D], of some encoded texts as one batch without padding.
  Tensor embed(const std::vector<const Encoding*>& texts);

  std::int64_t dimension() const { return model_.encoder.config().model_dim; }
  const SentenceSettings& settings() const { return settings_; }
  std::int64_t texts() const { return texts_; }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t cut() const { return cut_; }
  const NonFinite& nonfinite() const { return nonfinite_; }  // values of all embeddings
  // What the folder left open; what was cut, and how many values are none.
  void note_assumptions(const Console& console, SentenceUse use) const;
  void note_results(const Console& console) const;

 private:
  void check_sizes(const SentenceOptions& options);

  std::string folder_;
  TextModel model_;
  SentenceSettings settings_;
  EncoderSession session_;
  std::int64_t texts_ = 0, tokens_ = 0, cut_ = 0;
  NonFinite nonfinite_{};
};

}  // namespace headwise::tools
