// Text encoders of the BERT family: token ids in, hidden states, attention weights and embeddings out. An immutable
// model that threads share, and sessions that run it.
// Shapes: B sequences, L layers, H heads, D model width, rows: the tokens of all sequences, one after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "headwise/attention.hpp"
#include "headwise/pooling.hpp"

namespace headwise {

// The function between the two feed-forward products.
enum class Activation {
  gelu,       // x · Φ(x), exact, by erf (Hendrycks and Gimpel 2016)
  gelu_tanh,  // its approximation by tanh ("gelu_new", "gelu_pytorch_tanh")
  relu,
  silu,  // x / (1 + exp(−x)) ("swish")
};

// What config.json and the tensors of a model folder say.
struct EncoderConfig {
  std::string family;  // "bert" (BERT, MiniLM, ELECTRA), "roberta" (RoBERTa, XLM-R, CamemBERT), "distilbert"
  std::int64_t num_layers = 0;
  std::int64_t model_dim = 0;  // D
  std::int64_t num_heads = 0;
  std::int64_t hidden_dim = 0;  // of the feed-forward step
  std::int64_t vocabulary_size = 0;
  std::int64_t max_positions = 0;    // rows of the table of positions
  std::int64_t num_token_types = 0;  // 0: the model knows none
  std::int64_t first_position = 0;  // of a sequence's first token; RoBERTa: pad_token_id + 1, and that token itself has
                                    // position pad_token_id and is not counted
  double layer_norm_epsilon = 1e-12;
  Activation activation = Activation::gelu;

  // The most tokens of a sequence, special ones included.
  std::int64_t max_length() const noexcept { return max_positions - first_position; }
};

struct EncoderOptions {
  std::string isa{};               // as ModelOptions::isa
  Allocator allocator{};           // of the packed weights and tables
  bool head_contribution = false;  // attention(i) can tell AttentionOutputs::head_contribution; keeps more weights
  OpenOptions open{};              // progress counts the bytes of all tensors
};

// A model ready to run: packed weights, chosen kernels. Immutable and safe to share between threads; copies share.
// A moved-from object may only be assigned to or destroyed.
class HEADWISE_API Encoder {
 public:
  // Loads a folder with config.json and weights (model.safetensors, or a shard index), as Hugging Face saves it.
  // model_type is bert, roberta, xlm-roberta, camembert, distilbert, or electra whose embeddings have the model's
  // width. Weights may be f32, f16 or bf16; they are computed with as f32. Heads that were trained on top (pooler,
  // masked language model) are left where they are. Throws Error(io) when a file cannot be read, Error(bad_file) when
  // one breaks its format or they contradict each other, naming tensor, expected and found, Error(unsupported) for
  // another kind of model or an ISA that the CPU lacks.
  static Encoder load(const std::string& folder, const EncoderOptions& options = {});

  const EncoderConfig& config() const noexcept;
  // The attention of one layer, alone: for what a Session can tell beyond EncoderOutputs, such as the contribution of
  // each head. Its query, key and value are hidden_states[layer]. Throws Error(invalid_argument) when there is no such
  // layer. Lives as long as the encoder or a copy of it.
  const MultiHeadAttention& attention(std::int64_t layer) const;
  const char* isa() const noexcept;  // the ISA whose kernels run, for example "avx512"

  struct HEADWISE_LOCAL Model;
  const Model& model() const noexcept { return *model_; }

 private:
  explicit Encoder(std::shared_ptr<const Model> model) noexcept;
  std::shared_ptr<const Model> model_;
};

// A batch without padding: the tokens of all sequences lie one after the other; every token of a sequence sees all of
// it and nothing else. Ids and lengths are i32 or i64, any strides.
struct EncoderInputs {
  TensorView token_ids{};  // [rows], each at least 0 and below the vocabulary's size
  // [B + 1] numbers that start at 0, never fall and end at rows; sequence b owns the rows from cumulative_lengths[b] to
  // cumulative_lengths[b + 1]. Not given: one sequence. None may be longer than EncoderConfig::max_length().
  TensorView cumulative_lengths{};
  TensorView token_types{};  // [rows], below num_token_types; not given: all 0
  // Any thread may set it to end the call, see AttentionInputs::cancel.
  const std::atomic<bool>* cancel = nullptr;
};

// Where results go; at least one must be given. Floats are f32, f16 or bf16. Outputs must not overlap the inputs or
// each other; any strides, but no stride of 0 on an axis longer than 1. Asking for more changes no bit of the others.
struct EncoderOutputs {
  MutableTensorView hidden{};         // [rows, D]: what the last layer gives
  MutableTensorView hidden_states{};  // [L + 1, rows, D]: the embeddings, then what each layer gives
  // [L, B, H, longest, longest]: the weights of each head; rows and keys past a sequence's own length are 0.
  MutableTensorView attention{};
  MutableTensorView embedding{};  // [B, D]: pooled from the last layer; zeros for a sequence without tokens
  Pooling pooling = Pooling::mean;
  bool normalize = false;  // embedding divided by its Euclidean norm, or by 1e-12 where that is smaller
};

// Scratch memory and a thread count. Serves one call at a time; use one session a thread: what Session says of busy
// sessions, threads, executors, fork() and the floating-point mode holds here. Scratch grows by need and is reused: a
// call no larger than an earlier one allocates nothing (oneDNN, where it multiplies, does). A row's bits depend neither
// on the other sequences of the batch nor on threads, schedule or what is asked for.
// A moved-from session may only be assigned to or destroyed.
class HEADWISE_API EncoderSession {
 public:
  // Throws Error(invalid_argument) when threads is negative or above Session::max_threads.
  explicit EncoderSession(const Encoder& encoder, const SessionOptions& options = {});
  EncoderSession(EncoderSession&&) noexcept;
  EncoderSession& operator=(EncoderSession&&) noexcept;
  ~EncoderSession();

  int threads() const noexcept;
  // Throws Error before anything is written when an argument does not fit: Error(invalid_argument) names the argument,
  // for a token id its place and the limit too. Error(cancelled) as AttentionInputs::cancel says; Error(busy) while
  // another thread is in run.
  void run(const EncoderInputs& inputs, const EncoderOutputs& outputs);
  // What run would do with these arguments, without doing it. A step that every layer has is named once, with what it
  // costs in all layers together.
  Explanation explain(const EncoderInputs& inputs, const EncoderOutputs& outputs) const;

 private:
  struct HEADWISE_LOCAL State;
  std::unique_ptr<State> state_;
};

}  // namespace headwise
