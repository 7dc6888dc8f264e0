// What a random case is made of: a layer, perhaps a cache, and calls in order. Plain data; views point into `memory`.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "headwise/attention.hpp"
#include "strided_tensor.hpp"

namespace differential {

using headwise::AttentionConfig;
using headwise::AttentionInputs;
using headwise::AttentionOutputs;
using headwise::MutableTensorView;
using headwise::TensorView;

struct Layer {
  headwise::AttentionWeights weights;
  AttentionConfig config;  // that of weights with every zero and the scale filled in, by code of this test
  bool projected = false;
  headwise::ModelOptions options;  // without the ISA
  std::int64_t extra_keys() const { return int(weights.bias_key.given()) + int(weights.config.add_zero_attention); }
};

// One row of the batch, as the header defines it.
struct Sequence {
  std::int64_t queries = 0, new_keys = 0, keys = 0;  // keys: held and new ones
  std::int64_t query_row = 0, key_row = 0;           // where its rows start in a ragged batch
  std::int64_t cached = 0;                           // tokens that the cache has seen before
  std::int64_t first_position = 0;                   // of key 0, not 0 after a circular cache has forgotten some
};

// What happens to the cache before a call.
struct CacheAction {
  enum class Kind { append, append_heads, truncate, roll_back, copy_row, fork, clear };
  Kind kind;
  std::int64_t row = 0, count = 0;  // count: tokens, a length, or the row to copy to
  AttentionInputs inputs{};         // of the appends; key_lengths are the counts
  std::vector<Sequence> sequences{};
};

struct Call {
  std::int64_t batch = 0, queries = 0, new_keys = 0, keys = 0;  // of the longest sequence
  bool ragged = false, unbatched = false;
  std::vector<Sequence> sequences;
  std::vector<CacheAction> before;
  AttentionInputs inputs;
  AttentionOutputs outputs;
  headwise::SessionOptions options;
  std::string refusal;  // a word of the error that must come; empty: none may
  std::vector<std::string> tags;
  std::deque<StridedTensor> memory, result_memory;
};

struct Case {
  std::uint64_t seed = 0;
  std::int64_t number = 0;
  Layer layer;
  std::optional<headwise::KvCacheOptions> cache;
  std::deque<Call> calls;
};

struct InputName {
  const char* name;
  TensorView AttentionInputs::*view;
};
inline constexpr InputName input_names[] = {{"query", &AttentionInputs::query},
                                            {"key", &AttentionInputs::key},
                                            {"value", &AttentionInputs::value},
                                            {"attention_mask", &AttentionInputs::attention_mask},
                                            {"key_padding_mask", &AttentionInputs::key_padding_mask},
                                            {"key_lengths", &AttentionInputs::key_lengths},
                                            {"query_lengths", &AttentionInputs::query_lengths},
                                            {"query_offsets", &AttentionInputs::query_offsets},
                                            {"query_documents", &AttentionInputs::query_documents},
                                            {"key_documents", &AttentionInputs::key_documents},
                                            {"cumulative_query_lengths", &AttentionInputs::cumulative_query_lengths},
                                            {"cumulative_key_lengths", &AttentionInputs::cumulative_key_lengths},
                                            {"head_gate", &AttentionInputs::head_gate},
                                            {"heads", &AttentionInputs::heads},
                                            {"position_ids", &AttentionInputs::position_ids},
                                            {"key_position_ids", &AttentionInputs::key_position_ids},
                                            {"rotary_cos", &AttentionInputs::rotary_cos},
                                            {"rotary_sin", &AttentionInputs::rotary_sin}};

struct OutputName {
  const char* name;
  MutableTensorView AttentionOutputs::*view;
};
inline constexpr OutputName output_names[] = {{"output", &AttentionOutputs::output},
                                              {"attention", &AttentionOutputs::attention},
                                              {"average_attention", &AttentionOutputs::average_attention},
                                              {"top_weights", &AttentionOutputs::top_weights},
                                              {"top_keys", &AttentionOutputs::top_keys},
                                              {"scores", &AttentionOutputs::scores},
                                              {"log_sum_exp", &AttentionOutputs::log_sum_exp},
                                              {"column_sums", &AttentionOutputs::column_sums},
                                              {"head_context", &AttentionOutputs::head_context},
                                              {"head_contribution", &AttentionOutputs::head_contribution}};

// The same case for the same seed and number on every machine.
Case make_case(std::uint64_t seed, std::int64_t number);

}  // namespace differential
