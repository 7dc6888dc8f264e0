// Multi-head attention: an immutable model that threads share, and sessions that run it.
// Shapes: B batch, H query heads, Hkv key/value heads, Lq and Lk lengths, D model width, d and dv head sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headwise/tensor.hpp"
#include "headwise/weights.hpp"

namespace headwise {

// What "true" says in a boolean mask. It is never guessed.
enum class BooleanMask {
  unspecified,
  keep,  // true: the query may attend to the key (ONNX, SDPA, Keras)
  drop,  // true: the key is masked (torch nn.MultiheadAttention)
};

// Which corner of the Lq × Lk score matrix the causal triangle starts from.
enum class CausalAlignment {
  unspecified,  // allowed when Lq == Lk, where both agree
  upper_left,   // key j is live for query i when j ≤ i (torch, Keras, JAX)
  lower_right,  // when j ≤ i + Lk − Lq (FlashAttention)
};

struct AttentionInputs {
  TensorView query{};  // f32 [B, Lq, D] or [Lq, D]; any strides
  TensorView key{};    // f32 [B, Lk, key_input_dim]
  TensorView value{};  // f32 [B, Lk, value_input_dim]
  // bool (or u8: nonzero is true), or f32 added after the scale with −inf for a dead key; broadcast from the right over
  // [B, H, Lq, Lk]. A last axis shorter than Lk (and not 1) leaves the keys past it dead.
  TensorView attention_mask{};
  BooleanMask attention_mask_meaning = BooleanMask::unspecified;
  TensorView key_padding_mask{};  // bool or f32 [B, Lk] or [Lk]
  BooleanMask key_padding_meaning = BooleanMask::unspecified;
  TensorView key_lengths{};  // i32 or i64 [B]: keys at and past the length are dead
  bool causal = false;
  CausalAlignment causal_alignment = CausalAlignment::unspecified;
};

// Where results go. Outputs must not overlap the inputs or each other; any strides, but no stride of 0 on an axis
// longer than 1. Asking for weights changes no bit of the output.
struct AttentionOutputs {
  MutableTensorView output{};             // f32 [B, Lq, output_dim], or [Lq, output_dim] for an unbatched query
  MutableTensorView attention{};          // f32 [B, H, Lq, Lk]: the weights of each head
  MutableTensorView average_attention{};  // f32 [B, Lq, Lk]: their mean over the heads
};

struct ModelOptions {
  std::string isa{};  // of the attention kernels: "", "auto", "avx512", "avx2", "sse2", "neon64", "reference"; "" reads
                      // HEADWISE_ISA, then auto
  // Query, key and value will always be the same tensor: pack only the fused product and save 3·D² floats.
  bool self_attention_only = false;
};

// A layer ready to run: packed weights, chosen kernels. Immutable and safe to share between threads; copies share.
// A moved-from object may only be assigned to or destroyed.
class MultiHeadAttention {
 public:
  // Throws Error(invalid_argument) when weights and config disagree, Error(unsupported) when the CPU lacks the ISA.
  explicit MultiHeadAttention(const AttentionWeights& weights, const ModelOptions& options = {});
  // Attention alone, without projections (scaled dot-product attention). Inputs are [B, H, Lq, d], [B, Hkv, Lk, d],
  // [B, Hkv, Lk, dv], the output is [B, H, Lq, dv]; config gives num_heads, num_kv_heads, head_dim, value_dim, scale.
  static MultiHeadAttention without_projections(const AttentionConfig& config, const ModelOptions& options = {});

  const AttentionConfig& config() const noexcept;
  const char* isa() const noexcept;  // the ISA whose kernels run, for example "avx512"

  struct Model;
  const Model& model() const noexcept { return *model_; }

 private:
  explicit MultiHeadAttention(std::shared_ptr<const Model> model) noexcept;
  std::shared_ptr<const Model> model_;
};

// How the work is laid over threads.
enum class Schedule {
  automatic,
  wide,  // one step at a time, all threads inside it
  deep,  // each thread carries a few sequences through all steps
};

struct SessionOptions {
  int threads = 0;  // 0: what the affinity mask, the cgroup quota and OMP_NUM_THREADS allow
  Schedule schedule = Schedule::automatic;
};

// One line of a plan, see Session::explain.
struct StepInfo {
  std::string name;
  std::string reads, writes;
  double flops = 0;
  double bytes = 0;
};

struct Explanation {
  std::string isa;
  std::string schedule;  // "wide", "deep" or "inline": wide on one thread
  int threads = 1;
  std::size_t scratch_bytes = 0;
  std::vector<StepInfo> steps;
  std::string to_string() const;
};

// Scratch memory and a thread count. Serves one call at a time; use one session a thread. Scratch grows to the largest
// shapes seen and is reused: a call with shapes no larger than before allocates nothing. A moved-from session may only
// be assigned to or destroyed. Threads come from the OpenMP runtime: after fork(), use sessions in the child only if
// none has run in the parent.
class Session {
 public:
  // Throws Error(invalid_argument) when threads is negative or above max_threads.
  explicit Session(const MultiHeadAttention& attention, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  static constexpr int max_threads = 1024;
  int threads() const noexcept;
  // Throws Error before anything is written when an argument does not fit. Runs on the calling thread alone when it is
  // already inside an OpenMP parallel region.
  void run(const AttentionInputs& inputs, const AttentionOutputs& outputs);
  // What run would do with these arguments, without doing it.
  Explanation explain(const AttentionInputs& inputs, const AttentionOutputs& outputs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The thread count that SessionOptions{} stands for.
int default_threads() noexcept;

struct IsaInfo {
  std::string name;
  bool compiled = false;  // in this build
  bool present = false;   // on this CPU
};
std::vector<IsaInfo> list_isas();                 // fastest first, "reference" last
std::string resolve_isa(const std::string& isa);  // "" and "auto" become the ISA that would run
std::string onednn_version();                     // "2.6.3"
const char* version() noexcept;                   // headwise's own, "0.1.0"

}  // namespace headwise
