#include "head_model.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>

#include "text.hpp"
#include "text_model.hpp"

namespace headwise::tools {
namespace {

std::string folder_name(const std::string& folder) {
  const auto path = std::filesystem::path(folder).lexically_normal();
  const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return valid_utf8(name.string());
}

std::int64_t max_length(const Tokenizer& tokenizer, const ModelText& text, const EncoderConfig& config) {
  constexpr EncodeOptions unlimited{.max_length = 1 << 24};
  const Encoding empty = text.pair ? tokenizer.encode_pair("", "", unlimited) : tokenizer.encode("", unlimited);
  FolderLimit limit{config.max_length(), "config.json"};
  if (tokenizer.max_length() < limit.tokens) limit = {tokenizer.max_length(), "tokenizer_config.json"};
  check_room(text.folder, limit, empty.full_length);
  return limit.tokens;
}

Encoding encode(const Tokenizer& tokenizer, const ModelText& text, const EncoderConfig& config) {
  EncodeOptions options;
  options.max_length = max_length(tokenizer, text, config);
  return text.pair ? tokenizer.encode_pair(text.text, *text.pair, options) : tokenizer.encode(text.text, options);
}

bool joins(const HeadWeights& weights, const Encoding& encoding, std::size_t token) {
  if (token == 0 || encoding.words[token] < 0 || encoding.words[token - 1] < 0) return false;
  return weights.segments[token] == weights.segments[token - 1] && encoding.starts[token] == encoding.ends[token - 1];
}

// Tokens of one word follow each other; each token that was put in is a word of its own.
void add_words(HeadWeights& weights, const Encoding& encoding, const ModelText& text) {
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const bool second = weights.segments[i] == 2;
    const auto begin = static_cast<std::size_t>(encoding.starts[i]), end = static_cast<std::size_t>(encoding.ends[i]);
    const bool more = i > 0 && encoding.words[i] >= 0 && encoding.words[i] == encoding.words[i - 1] &&
                      weights.segments[i] == weights.segments[i - 1];
    const std::string& source = second ? *text.pair : text.text;
    const std::string piece = encoding.words[i] < 0 ? weights.tokens[i] : valid_utf8(source.substr(begin, end - begin));
    if (!more) weights.words.push_back({"", i, i, joins(weights, encoding, i)});
    weights.words.back().text += piece;
    weights.words.back().end = i + 1;
  }
}

void add_tokens(HeadWeights& weights, const Tokenizer& tokenizer, const Encoding& encoding) {
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    weights.tokens.push_back(valid_utf8(tokenizer.token(encoding.ids[i])));
    weights.segments.push_back(static_cast<int>(encoding.sequence_ids[i] + 1));
  }
  const auto length = static_cast<std::int64_t>(encoding.ids.size());
  if (encoding.full_length <= length) return;
  weights.notes.push_back("the text has " + plural(encoding.full_length, "token") +
                          ", more than the model reads; it was cut to " + std::to_string(length));
}

TensorView numbers(const std::vector<std::int64_t>& values) {
  return {values.data(), DType::i64, {static_cast<std::int64_t>(values.size())}};
}

// The embeddings and what each layer gives: the inputs of the attention layers.
Tensor hidden_states(const Encoder& encoder, const Encoding& encoding, int threads) {
  const EncoderConfig& config = encoder.config();
  Tensor states({config.num_layers + 1, static_cast<std::int64_t>(encoding.ids.size()), config.model_dim});
  EncoderInputs inputs;
  inputs.token_ids = numbers(encoding.ids);
  if (config.num_token_types > 0) inputs.token_types = numbers(encoding.token_types);
  EncoderOutputs outputs;
  outputs.hidden_states = states;
  SessionOptions options;
  options.threads = threads;
  EncoderSession(encoder, options).run(inputs, outputs);
  return states;
}

// Euclidean norms of rows of `width` numbers.
void store_norms(const Tensor& rows, float* norms) {
  const std::int64_t width = rows.shape()[rows.shape().rank() - 1];
  for (std::int64_t row = 0; row < rows.size() / width; ++row) {
    const float* first = rows.data() + row * width;
    norms[row] = static_cast<float>(std::sqrt(std::inner_product(first, first + width, first, 0.0)));
  }
}

// One layer after the other: the contributions of all would be as large as H times all hidden states.
class LayerRunner {
 public:
  LayerRunner(const Encoder& encoder, const Tensor& states, int threads)
      : encoder_(encoder), states_(states), threads_(threads) {}

  void run(std::int64_t layer, float* attention, float* norms) const {
    const std::int64_t count = states_.shape()[1], width = states_.shape()[2], heads = encoder_.config().num_heads;
    Tensor output({1, count, width}), contribution({1, heads, count, width});
    AttentionInputs inputs;
    inputs.query = inputs.key = inputs.value = {states_.data() + layer * count * width, DType::f32, {1, count, width}};
    AttentionOutputs outputs;
    outputs.output = output;
    outputs.attention = {attention, DType::f32, {1, heads, count, count}};
    outputs.head_contribution = contribution;
    SessionOptions options;
    options.threads = threads_;
    Session(encoder_.attention(layer), options).run(inputs, outputs);
    store_norms(contribution, norms);
  }

 private:
  const Encoder& encoder_;
  const Tensor& states_;
  int threads_;
};

void run_layers(HeadWeights& weights, const Encoder& encoder, const Tensor& states, int threads) {
  const auto layers = static_cast<std::int64_t>(weights.layers.size()),
             count = static_cast<std::int64_t>(weights.count());
  weights.attention = Tensor({layers, weights.heads, count, count});
  weights.contribution = Tensor({layers, weights.heads, count});
  const LayerRunner runner(encoder, states, threads);
  for (std::int64_t i = 0; i < layers; ++i) {
    runner.run(weights.layers[static_cast<std::size_t>(i)],
               weights.attention.data() + i * weights.heads * count * count,
               weights.contribution.data() + i * weights.heads * count);
  }
}

HeadWeights described(const ModelText& text, const EncoderConfig& config) {
  HeadWeights weights;
  weights.title = folder_name(text.folder);
  weights.text = text.text;
  weights.pair = text.pair;
  weights.heads = config.num_heads;
  weights.layers = checked_layers(text.layers, config.num_layers);
  return weights;
}

}  // namespace

HeadWeights run_head_model(const ModelText& text, const Console& console) {
  EncoderOptions options;
  options.isa = text.isa;
  options.head_contribution = true;
  const auto [tokenizer, encoder] = load_text_model(text.folder, options, console);
  const Encoding encoding = encode(tokenizer, text, encoder.config());
  check_token_types(text.folder, encoder.config(), encoding);
  HeadWeights weights = described(text, encoder.config());
  add_tokens(weights, tokenizer, encoding);
  add_words(weights, encoding, text);
  run_layers(weights, encoder, hidden_states(encoder, encoding, text.threads), text.threads);
  return weights;
}

}  // namespace headwise::tools
