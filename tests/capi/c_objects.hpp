// Handles that free themselves, and the C form of C++ arguments.
#pragma once

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "calls.hpp"
#include "headwise/headwise.h"
#include "headwise/headwise.hpp"

template <class T, void (*free)(T*)>
struct Owned {
  T* handle = nullptr;
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~Owned() { free(handle); }
  operator T*() const { return handle; }
  T** to() { return &handle; }
};
using OwnedTensor = Owned<headwise_tensor, headwise_tensor_free>;
using OwnedFile = Owned<headwise_file, headwise_file_free>;
using OwnedLayers = Owned<headwise_layers, headwise_layers_free>;
using OwnedWeights = Owned<headwise_weights, headwise_weights_free>;
using OwnedStoredLayer = Owned<headwise_stored_layer, headwise_stored_layer_free>;
using OwnedCheck = Owned<headwise_check, headwise_check_free>;
using OwnedModel = Owned<headwise_model, headwise_model_free>;
using OwnedSession = Owned<headwise_session, headwise_session_free>;
using OwnedCache = Owned<headwise_cache, headwise_cache_free>;
using OwnedExecutor = Owned<headwise_executor, headwise_executor_free>;
using OwnedFlag = Owned<headwise_cancel_flag, headwise_cancel_flag_free>;
using OwnedExplanation = Owned<headwise_explanation, headwise_explanation_free>;
using OwnedTokenizer = Owned<headwise_tokenizer, headwise_tokenizer_free>;
using OwnedEncoding = Owned<headwise_encoding, headwise_encoding_free>;
using OwnedSentence = Owned<headwise_sentence, headwise_sentence_free>;
using OwnedProfile = Owned<headwise_profile, headwise_profile_free>;

// A struct with its size and zeros.
template <class T>
T ready() {
  T result;
  HEADWISE_INIT(result);
  return result;
}

inline void check_ok(headwise_status status) {
  CHECK_MESSAGE(status == HEADWISE_OK, headwise_last_error());
}

// A refusal, and words of its message.
inline void check_refused(headwise_status wanted, const std::vector<std::string>& words, headwise_status status) {
  const std::string message = headwise_last_error();
  CAPTURE(message);
  CHECK(std::string(headwise_status_name(status)) == headwise_status_name(wanted));
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(message.find(word) != std::string::npos);
  }
}
inline void check_invalid(const std::vector<std::string>& words, headwise_status status) {
  check_refused(HEADWISE_INVALID_ARGUMENT, words, status);
}

// Views in C's form; they stay where they are as long as this does.
class Views {
 public:
  const headwise_view* add(const headwise::TensorView& view) {
    return view.given ? &add_to(inputs_, view, view.data) : nullptr;
  }
  const headwise_mutable_view* add(const headwise::MutableTensorView& view) {
    return view.given ? &add_to(outputs_, view, view.data) : nullptr;
  }
  const headwise_view* add(const headwise::Tensor& tensor) { return add(tensor.view()); }
  const headwise_mutable_view* add_mutable(headwise::Tensor& tensor) { return add(tensor.mutable_view()); }

 private:
  template <class CView, class Data>
  CView& add_to(std::deque<CView>& views, const headwise::TensorView& view, Data data) {
    strides_.emplace_back(view.strides.begin(), view.strides.end());
    CView c{data, static_cast<headwise_dtype>(view.dtype), view.shape.rank(), {}, strides_.back().data()};
    std::copy(view.shape.begin(), view.shape.end(), c.shape);
    return views.emplace_back(c);
  }
  std::deque<headwise_view> inputs_;
  std::deque<headwise_mutable_view> outputs_;
  std::deque<std::vector<std::int64_t>> strides_;
};

// All arguments of a call, but a cache and a flag.
struct CCall {
  Views views;
  headwise_window window{};
  headwise_inputs inputs = ready<headwise_inputs>();
  headwise_outputs outputs = ready<headwise_outputs>();

  CCall(const headwise::AttentionInputs& in, const headwise::AttentionOutputs& out) {
    take_inputs(in);
    take_outputs(out);
  }
  CCall(const CCall&) = delete;
  CCall& operator=(const CCall&) = delete;

  void take_inputs(const headwise::AttentionInputs& in) {
    window = {in.window.left, in.window.right};
    inputs = {sizeof inputs,
              views.add(in.query),
              views.add(in.key),
              views.add(in.value),
              views.add(in.attention_mask),
              static_cast<headwise_mask_meaning>(in.attention_mask_meaning),
              static_cast<headwise_mask_meaning>(in.key_padding_meaning),
              views.add(in.key_padding_mask),
              views.add(in.key_lengths),
              views.add(in.query_lengths),
              in.causal ? 1 : 0,
              static_cast<headwise_alignment>(in.causal_alignment),
              views.add(in.query_offsets),
              &window,
              views.add(in.query_documents),
              views.add(in.key_documents),
              views.add(in.cumulative_query_lengths),
              views.add(in.cumulative_key_lengths),
              views.add(in.head_gate),
              views.add(in.heads),
              views.add(in.position_ids),
              views.add(in.key_position_ids),
              views.add(in.rotary_cos),
              views.add(in.rotary_sin),
              nullptr,
              nullptr};
  }
  void take_outputs(const headwise::AttentionOutputs& out) {
    outputs = {sizeof outputs,
               views.add(out.output),
               views.add(out.attention),
               views.add(out.average_attention),
               views.add(out.attention_heads),
               views.add(out.attention_queries),
               views.add(out.top_weights),
               views.add(out.top_keys),
               views.add(out.scores),
               static_cast<headwise_score_stage>(out.score_stage),
               views.add(out.log_sum_exp),
               views.add(out.column_sums),
               views.add(out.head_context),
               views.add(out.head_contribution)};
  }
};

// A config in C's form; it stays where it is.
struct CConfig {
  headwise_rotary_config rotary = ready<headwise_rotary_config>();
  headwise_bias_config bias = ready<headwise_bias_config>();
  headwise_config config = ready<headwise_config>();

  explicit CConfig(const headwise::AttentionConfig& c) {
    const auto& r = c.rotary;
    rotary = {sizeof rotary,
              r.dim,
              static_cast<headwise_rotary_layout>(r.layout),
              static_cast<headwise_rotary_scaling>(r.scaling),
              r.base,
              r.factor,
              r.original_positions,
              r.low_frequency_factor,
              r.high_frequency_factor,
              r.beta_fast,
              r.beta_slow,
              r.attention_factor};
    const auto& b = c.position_bias;
    bias = {sizeof bias,
            static_cast<headwise_position_bias>(b.kind),
            static_cast<headwise_alibi_scheme>(b.slopes),
            b.alibi_max,
            b.bidirectional ? 0 : 1,
            b.max_distance};
    config = {sizeof config,
              c.model_dim,
              c.num_heads,
              c.num_kv_heads,
              c.head_dim,
              c.value_dim,
              c.key_input_dim,
              c.value_input_dim,
              c.output_dim,
              c.scale ? 1 : 0,
              c.scale.value_or(0),
              static_cast<headwise_empty_rows>(c.rows_without_keys),
              c.softcap,
              c.add_zero_attention ? 1 : 0,
              c.norm_epsilon,
              &rotary,
              &bias};
  }
  CConfig(const CConfig&) = delete;
  CConfig& operator=(const CConfig&) = delete;
};

// The parts of weights, in the order of headwise_part.
inline const std::vector<headwise::Tensor headwise::AttentionWeights::*> weight_parts{
    &headwise::AttentionWeights::query_weight, &headwise::AttentionWeights::key_weight,
    &headwise::AttentionWeights::value_weight, &headwise::AttentionWeights::output_weight,
    &headwise::AttentionWeights::query_bias,   &headwise::AttentionWeights::key_bias,
    &headwise::AttentionWeights::value_bias,   &headwise::AttentionWeights::output_bias,
    &headwise::AttentionWeights::query_norm,   &headwise::AttentionWeights::key_norm,
    &headwise::AttentionWeights::sinks,        &headwise::AttentionWeights::bias_key,
    &headwise::AttentionWeights::bias_value,   &headwise::AttentionWeights::relative_bias,
    &headwise::AttentionWeights::alibi_slopes};

inline OwnedWeights c_weights(const headwise::AttentionWeights& weights) {
  OwnedWeights result;
  const CConfig config(weights.config);
  check_ok(headwise_weights_create(&config.config, result.to()));
  for (std::size_t part = 0; part < weight_parts.size(); ++part) {
    Views views;
    const headwise_view* view = views.add(weights.*weight_parts[part]);
    check_ok(headwise_weights_set(result, static_cast<headwise_part>(part), view));
  }
  return result;
}

inline OwnedModel c_model(const headwise::AttentionWeights& weights, const headwise::ModelOptions& options = {}) {
  OwnedModel model;
  auto c = ready<headwise_model_options>();
  c.isa = options.isa.c_str();
  c.self_attention_only = options.self_attention_only ? 1 : 0;
  c.head_contribution = options.head_contribution ? 1 : 0;
  const OwnedWeights w = c_weights(weights);
  const bool projected = weights.query_weight.given();
  check_ok(projected ? headwise_model_create(w, &c, model.to())
                     : headwise_model_without_projections(w, &c, model.to()));
  return model;
}

inline OwnedSession c_session(const headwise_model* model, int threads = 1,
                              headwise_schedule schedule = HEADWISE_SCHEDULE_AUTOMATIC) {
  OwnedSession session;
  auto options = ready<headwise_session_options>();
  options.threads = threads;
  options.schedule = schedule;
  check_ok(headwise_session_create(model, &options, session.to()));
  return session;
}
