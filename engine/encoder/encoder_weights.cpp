#include "encoder_weights.hpp"

#include "encoder_config.hpp"
#include "encoder_reader.hpp"
#include "headwise/weight_layouts.hpp"
#include "layer_settings.hpp"
#include "memory.hpp"
#include "text.hpp"

namespace headwise::encoder {

namespace {

std::int64_t or_any(std::int64_t stated) {
  return stated == 0 ? any_size : stated;
}

kernels::Activation kernel_activation(Activation activation) {
  switch (activation) {
    case Activation::gelu_tanh:
      return kernels::Activation::gelu_tanh;
    case Activation::relu:
      return kernels::Activation::relu;
    case Activation::silu:
      return kernels::Activation::silu;
    default:
      return kernels::Activation::gelu;
  }
}

// Reads one model; what config.json leaves open is taken from the first tensor that tells it.
class Loader {
 public:
  Loader(const WeightFile& file, const StatedConfig& stated, const EncoderOptions& options)
      : family_(*stated.family), options_(options), reader_(file, family_.words, options) {
    model_.config = stated.config;
    model_.kernels = &runtime::choose_kernels(options.isa);
    stated_types_ = stated.num_token_types;
  }

  Encoder::Model load() {
    read_embeddings();
    // One at a time, so that a number of layers that no file holds ends with the first that is missing.
    for (std::int64_t i = 0; i < model_.config.num_layers; ++i) add_layer(i);
    reader_.finish();
    return std::move(model_);
  }

 private:
  EncoderConfig& config() { return model_.config; }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorCode::bad_file, in_quotes(reader_.file().path()) + " and its config.json: " + problem);
  }

  void read_embeddings() {
    EncoderConfig& c = config();
    model_.words = reader_.read_kept(std::string(family_.words), {or_any(c.vocabulary_size), or_any(c.model_dim)});
    c.vocabulary_size = model_.words.shape()[0];
    c.model_dim = model_.words.shape()[1];
    model_.positions = reader_.read_kept(std::string(family_.positions), {or_any(c.max_positions), c.model_dim});
    c.max_positions = model_.positions.shape()[0];
    if (c.first_position >= c.max_positions) {
      refuse("the first token would have position " + std::to_string(c.first_position) + " (pad_token_id + 1) of " +
             std::to_string(c.max_positions));
    }
    if (c.model_dim % c.num_heads != 0) {
      refuse(std::to_string(c.num_heads) + " heads do not share a width of " + std::to_string(c.model_dim));
    }
    read_token_types();
    model_.embedding_norm = reader_.read_norm(std::string(family_.embedding_norm), c.model_dim);
  }

  void read_token_types() {
    const std::string name(family_.token_types);
    if (name.empty()) return;
    if (stated_types_ == 0 && reader_.has(name))
      refuse("type_vocab_size is 0, but there is a tensor " + in_quotes(name));
    if (stated_types_ == 0) return;
    model_.token_types = reader_.read_kept(name, {stated_types_.value_or(any_size), config().model_dim});
    config().num_token_types = model_.token_types.shape()[0];
  }

  void add_layer(std::int64_t index) {
    const std::string prefix = std::string(family_.layers) + std::to_string(index) + ".";
    const std::int64_t width = config().model_dim;
    MultiHeadAttention attention = read_attention(prefix + std::string(family_.attention));
    Norm attention_norm = reader_.read_norm(prefix + std::string(family_.attention_norm), width);
    const Matrix up = read_linear(prefix + std::string(family_.up), or_any(config().hidden_dim), width);
    config().hidden_dim = up.weight.shape()[0];
    const Matrix down = read_linear(prefix + std::string(family_.down), width, config().hidden_dim);
    model_.layers.push_back({std::move(attention), std::move(attention_norm),
                             pack(up, kernel_activation(config().activation)), pack(down, kernels::Activation::none),
                             reader_.read_norm(prefix + std::string(family_.output_norm), width)});
  }

  struct Matrix {
    Tensor weight, bias;
  };

  Matrix read_linear(const std::string& name, std::int64_t out, std::int64_t in) {
    Tensor weight = reader_.read(name + ".weight", {out, in});
    Tensor bias = reader_.read(name + ".bias", {weight.shape()[0]});
    return {std::move(weight), std::move(bias)};
  }

  projection::Linear pack(const Matrix& m, kernels::Activation activation) const {
    const std::int64_t out = m.weight.shape()[0];
    const projection::LinearShape shape{m.weight.shape()[1], out, out, activation};
    return {m.weight.data(), m.bias.data(), shape, model_.kernels, options_.allocator};
  }

  MultiHeadAttention read_attention(const std::string& prefix) {
    const std::int64_t width = config().model_dim;
    AttentionWeights w;
    w.config.model_dim = width;
    w.config.num_heads = config().num_heads;
    const auto take = [&](std::string_view name, Tensor& weight, Tensor& bias) {
      Matrix matrix = read_linear(prefix + std::string(name), width, width);
      weight = std::move(matrix.weight);
      bias = std::move(matrix.bias);
    };
    take(family_.query, w.query_weight, w.query_bias);
    take(family_.key, w.key_weight, w.key_bias);
    take(family_.value, w.value_weight, w.value_bias);
    take(family_.output, w.output_weight, w.output_bias);
    w.config = resolve(w.config);
    check_notes(reader_.prefix() + prefix, w);
    return MultiHeadAttention(w, {.isa = options_.isa,
                                  .self_attention_only = true,
                                  .head_contribution = options_.head_contribution,
                                  .allocator = options_.allocator});
  }

  // What a file that headwise has written says of a layer beside its tensors.
  void check_notes(const std::string& prefix, AttentionWeights& weights) const {
    const WeightFile& file = reader_.file();
    if (has_stored_check(file, prefix)) check_stored(file, prefix, weights);
    if (const auto settings = stored_settings(file, prefix)) weights.config.scale = settings->scale;
  }

  const Family& family_;
  const EncoderOptions& options_;
  Reader reader_;
  Encoder::Model model_;
  std::optional<std::int64_t> stated_types_;
};

}  // namespace

std::shared_ptr<const Encoder::Model> load_model(const std::string& folder, const EncoderOptions& options) {
  check_allocator(options.allocator);
  const StatedConfig stated = read_config(folder);
  OpenOptions open = options.open;
  open.progress = nullptr;  // told once, of the tensors
  const WeightFile file = WeightFile::open(folder, open);
  return std::make_shared<const Encoder::Model>(Loader(file, stated, options).load());
}

}  // namespace headwise::encoder
