// Multi-head attention: an immutable model that threads share, and sessions that run it.
// Shapes: B batch, H query heads, Hkv key/value heads, Lq and Lk lengths, D model width, d and dv head sizes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headwise/kv_cache.hpp"
#include "headwise/memory.hpp"
#include "headwise/tensor.hpp"
#include "headwise/threads.hpp"
#include "headwise/weights.hpp"

namespace headwise {

// What "true" says in a boolean mask. It is never guessed.
enum class BooleanMask {
  unspecified,
  keep,  // true: the query may attend to the key (ONNX, SDPA, Keras)
  drop,  // true: the key is masked (torch nn.MultiheadAttention)
};

// Where the queries stand among the keys: query i has position i + offset and key j has position j. Causal masks,
// windows, ALiBi, T5 buckets and computed rotary angles all go by these positions.
enum class CausalAlignment {
  unspecified,  // offset 0, or the tokens that the cache held before; with `causal` only when Lq == Lk or there is a
                // cache
  upper_left,   // offset 0: key j is live for query i when j ≤ i (torch, Keras, JAX)
  lower_right,  // offset Lk − Lq, of the lengths where those are given: the last live query stands at the last live key
                // (FlashAttention; ONNX with nonpad_kv_seqlen)
};

// Keys that a query sees: from its own position − left to its position + right, both ends included; −1 leaves a side
// open. A window of w keys up to and with the query's own is {w − 1, 0}: {1, 0} over the values 1, 2, 4, 8, 16 with
// equal scores gives 1, 1.5, 3, 6, 12; {2, 0} gives 1, 1.5, 2.33, 4.67, 9.33. A count at or past the length changes
// nothing.
struct AttentionWindow {
  std::int64_t left = -1, right = -1;
};

// "lengths" and "ids" below are i32 or i64.
struct AttentionInputs {
  TensorView query{};  // f32, f16 or bf16 [B, Lq, D] or [Lq, D]; any strides. f64: see MultiHeadAttention
  TensorView key{};    // [B, Lk, key_input_dim], of the query's dtype; with a cache the new tokens only, or not given
  TensorView value{};  // [B, Lk, value_input_dim]
  // bool (or u8: nonzero is true), or floats added after the scale with −inf for a dead key; broadcast from the right
  // over [B, H, Lq, Lk]. A last axis shorter than Lk (and not 1) leaves the keys past it dead.
  TensorView attention_mask{};
  BooleanMask attention_mask_meaning = BooleanMask::unspecified;
  TensorView key_padding_mask{};  // bool or floats [B, Lk] or [Lk]
  BooleanMask key_padding_meaning = BooleanMask::unspecified;
  TensorView key_lengths{};    // [B]: keys at and past the length are dead
  TensorView query_lengths{};  // [B]: rows at and past the length become zeros (log_sum_exp −inf, top_keys −1)
  bool causal = false;         // a query sees no key past its own position
  CausalAlignment causal_alignment = CausalAlignment::unspecified;
  TensorView query_offsets{};  // [B]: the offset of each row instead of an alignment
  AttentionWindow window{};
  TensorView query_documents{},
      key_documents{};  // ids [B, Lq], [B, Lk] (or without B): a query sees its own document only

  // Ragged batch: the tokens of all sequences lie one after the other, query [ΣLq, D], key [ΣLk, …]; sequence b owns
  // the rows from cumulative[b] to cumulative[b + 1]. [B + 1] numbers that start at 0 and never fall. Give the key
  // lengths too unless query and key are one tensor. Masks and outputs other than `output` count as if padded to the
  // longest.
  TensorView cumulative_query_lengths{}, cumulative_key_lengths{};

  TensorView head_gate{};  // f32 [H] or [B, H]: the context of a head is multiplied by it; 0 skips the head's work
  TensorView heads{};      // ids [n]: only these heads take part, as if the gates of the others were 0

  TensorView position_ids{};      // ids [B, Lq] or [Lq]: positions for the rotary embedding instead of i + offset
  TensorView key_position_ids{};  // ids [B, Lk] or [Lk] of the key rows given; position_ids when Lq == Lk
  TensorView rotary_cos{}, rotary_sin{};  // f32 [positions, rotary.dim/2]: instead of the computed angles

  // The keys that queries see are those the cache holds, and behind them `key` and `value`, which are appended for
  // good. Lk of masks and outputs counts them all. A circular cache that overflows forgets before the queries look.
  KvCache* cache = nullptr;

  // Any thread may set it to end the call, which looks between units of work (a block of queries of one head, rows of a
  // product; a few ms at most; a wait for an executor ends with its next call) and then throws Error(cancelled).
  // Outputs are incomplete. Session and cache can be used again; its lengths are as before, but a circular one may have
  // forgotten what new tokens would have displaced. A flag set before the call ends it before anything is written.
  const std::atomic<bool>* cancel = nullptr;
};

// What `scores` holds.
enum class ScoreStage {
  scaled,  // scale · q·k
  capped,  // after the soft-cap
  masked,  // after position bias and masks; −inf where the key is dead
};

// Where results go. Only the first is required. Outputs must not overlap the inputs or each other; any strides, but no
// stride of 0 on an axis longer than 1. Asking for more changes no bit of the output. Lk counts cached keys and the
// keys that bias_key and add_zero_attention add (in that order, last). Floats are f32, f16 or bf16, in an f64 call f64.
// For an unbatched query the axis B may be missing everywhere.
struct AttentionOutputs {
  MutableTensorView output{};             // [B, Lq, output_dim], or [Lq, output_dim] for an unbatched or ragged query
  MutableTensorView attention{};          // [B, H, Lq, Lk]: the weights of each head
  MutableTensorView average_attention{};  // [B, Lq, Lk]: their mean over the heads
  TensorView attention_heads{};           // ids [n]: `attention` and `scores` hold only these heads, [B, n, Lq, Lk]
  TensorView attention_queries{};         // ids [n]: they hold only these query rows, [B, H, n, Lk]
  MutableTensorView top_weights{};  // [B, H, Lq, k]: the k largest weights of each row, falling; ties: lower key first
  MutableTensorView top_keys{};     // i32 or i64 [B, H, Lq, k]: their keys; −1 when no further weight is above 0
  MutableTensorView scores{};       // [B, H, Lq, Lk]
  ScoreStage score_stage = ScoreStage::scaled;
  MutableTensorView log_sum_exp{};   // f32 or f64 [B, H, Lq]: ln Σ exp(score), sink included; −inf without either
  MutableTensorView column_sums{};   // [B, H, Lk]: the weights summed over the queries
  MutableTensorView head_context{};  // [B, H, Lq, value_dim]: what each head gives to the output projection
  MutableTensorView head_contribution{};  // [B, H, Lq, output_dim]: its part of the output; they and output_bias add up
};

struct ModelOptions {
  // The kernels: "avx512", "avx2", "sse2", "neon64", "reference"; "" reads HEADWISE_ISA, then is "auto". With sse2 and
  // reference oneDNN multiplies, in instructions of its own choice; its library is loaded then.
  std::string isa{};
  // Query, key and value will always be the same tensor: pack only their fused product, which saves up to 3·D² floats
  // where the kernels can't run its columns alone (sse2, reference, H·d no multiple of a panel: 64, 24 or 16 columns).
  bool self_attention_only = false;
  bool head_contribution = false;  // keep the output weight unpacked too, for AttentionOutputs::head_contribution
  Allocator allocator{};           // of the packed weights; what is only needed while packing is not asked of it
};

// A layer ready to run: packed weights, chosen kernels. Immutable and safe to share between threads; copies share.
// A moved-from object may only be assigned to or destroyed.
class HEADWISE_API MultiHeadAttention {
 public:
  // Throws Error(invalid_argument) when weights and config disagree, Error(unsupported) when the CPU lacks the ISA
  // or oneDNN is needed and cannot be loaded.
  explicit MultiHeadAttention(const AttentionWeights& weights, const ModelOptions& options = {});
  // Attention alone, without projections (scaled dot-product attention). Inputs are [B, H, Lq, d], [B, Hkv, Lk, d],
  // [B, Hkv, Lk, dv], the output is [B, H, Lq, dv]; ragged batches are [1, H, ΣL, d]. With the ISA "reference" all of
  // them may be f64, and all arithmetic is.
  static MultiHeadAttention without_projections(const AttentionConfig& config, const ModelOptions& options = {});
  // The same with norms, sinks, bias_key, bias_value and relative_bias of `weights`, which holds no matrices.
  static MultiHeadAttention without_projections(const AttentionWeights& weights, const ModelOptions& options = {});

  const AttentionConfig& config() const noexcept;
  const char* isa() const noexcept;  // the ISA whose kernels run, for example "avx512"

  struct HEADWISE_LOCAL Model;
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

class Executor;  // executor.hpp

struct SessionOptions {
  int threads = 0;  // 0: default_threads(), or all of the executor's
  Schedule schedule = Schedule::automatic;
  std::shared_ptr<Executor> executor{};  // threads that sessions share; without it each calling thread has OpenMP's
  Allocator allocator{};                 // of the scratch memory
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
  std::string kernel;                // "queries in lanes", "few queries", "reference", or the first two by sequence
  std::vector<std::string> reasons;  // why it is not a faster kernel, ISA or schedule; empty when nothing is in the way
  double live_pairs = 0;             // (query, key) pairs of all heads that positions and lengths leave live
  HEADWISE_API std::string to_string() const;
};

struct Profile;
struct ProfileOptions;

// Scratch memory and a thread count. Serves one call at a time; use one session a thread. A call while another thread
// is in run, append or profile of the same session throws Error(busy) at once and disturbs nothing. Scratch grows by
// need and is reused: a call with the shapes of an earlier one allocates nothing (oneDNN, where it multiplies, does).
// A moved-from session may only be assigned to or destroyed.
//
// Threads start with the first call that needs them, and are fewer than asked for when the system has no more. They are
// OpenMP's, so that each thread that runs sessions has a team of its own, which all its sessions use one after the
// other; or an Executor's. After fork() all sessions work in the child as in the parent, on threads of their own if it
// had some. A call computes in the default floating-point mode (round to nearest, subnormal numbers kept, nothing
// trapped) and leaves the caller's mode and flags as they were.
class HEADWISE_API Session {
 public:
  // Throws Error(invalid_argument) when threads is negative or above max_threads. More than the executor's are those.
  explicit Session(const MultiHeadAttention& attention, const SessionOptions& options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  static constexpr int max_threads = 1024;
  int threads() const noexcept;
  // Throws Error before anything is written when an argument does not fit. Runs on the calling thread alone when it is
  // already inside an OpenMP parallel region, unless the session has an executor.
  void run(const AttentionInputs& inputs, const AttentionOutputs& outputs);
  // Appends to the cache what run would append, without attending: keys and values of cross-attention, computed once.
  // Only key, value, key_lengths, key_position_ids and the rotary tables of the inputs count.
  void append(KvCache& cache, const AttentionInputs& inputs);
  // What run would do with these arguments, without doing it.
  Explanation explain(const AttentionInputs& inputs, const AttentionOutputs& outputs) const;
  // Does what run does, to the bit, and tells what it took; see profile.hpp. Throws as run does, and
  // Error(invalid_argument) for an option out of range. The records are allocated before the call and kept; run pays
  // for none of this.
  Profile profile(const AttentionInputs& inputs, const AttentionOutputs& outputs, const ProfileOptions& options);

 private:
  struct HEADWISE_LOCAL State;
  std::unique_ptr<State> state_;
};

// What a run over one slice of the keys left: its context […, dv] (AttentionOutputs::head_context, or the output of a
// layer without projections; f32, f16, bf16 or f64) and log_sum_exp […] (f32 or f64). merge_partials makes the result
// over all keys of them, and its log-sum-exp when that is given: exact but for rounding (Rabe and Staats 2021), in
// double, the order of the slices counts in the last bits. A row whose log_sum_exp is −inf saw no key: its context
// counts for nothing, whatever it holds, and where that is so in all slices the result is zeros and −inf. NaN elsewhere
// arrives. A sink or an extra key must take part in one slice only. Slices may differ in strides and types; the outputs
// must not overlap them. Throws Error(invalid_argument) before anything is written.
struct PartialAttention {
  TensorView context{}, log_sum_exp{};
};
HEADWISE_API void merge_partials(const std::vector<PartialAttention>& slices, const MutableTensorView& context,
                                 const MutableTensorView& log_sum_exp = {});

struct IsaInfo {
  std::string name;
  bool compiled = false;  // in this build
  bool present = false;   // on this CPU
};
HEADWISE_API std::vector<IsaInfo> list_isas();                 // fastest first, "reference" last
HEADWISE_API std::string resolve_isa(const std::string& isa);  // "" and "auto" become the ISA that would run
HEADWISE_API std::string onednn_version();                     // "2.6.3"; "none" where its library cannot be loaded
HEADWISE_API const char* version() noexcept;                   // headwise's own, "0.1.0"

}  // namespace headwise
