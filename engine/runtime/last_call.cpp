#include "last_call.hpp"

namespace headwise::runtime {

namespace {

template <class... Views>
bool none_given(const Views&... views) noexcept {
  return (!views.given && ...);
}

// All members are named, so that a new one does not compile before somebody has thought of it here.
bool is_plain(const AttentionInputs& inputs) noexcept {
  const auto& [query, key, value, mask, mask_meaning, padding, padding_meaning, key_lengths, query_lengths, causal,
               alignment, offsets, window, query_documents, key_documents, cumulative_queries, cumulative_keys, gate,
               heads, ids, key_ids, cos, sin, cache, cancel] = inputs;
  return cache == nullptr &&
         none_given(mask, padding, key_lengths, query_lengths, offsets, query_documents, key_documents,
                    cumulative_queries, cumulative_keys, gate, heads, ids, key_ids, cos, sin);
}

bool is_plain(const AttentionOutputs& outputs) noexcept {
  const auto& [output, attention, average, heads, queries, top_weights, top_keys, scores, stage, log_sum_exp, sums,
               context, contribution] = outputs;
  return none_given(average, heads, queries, top_weights, top_keys, scores, log_sum_exp, sums, context, contribution);
}

// But for where it lies.
template <class View>
bool same_form(const View& a, const View& b) noexcept {
  return a.given == b.given && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides;
}

bool same_options(const AttentionInputs& a, const AttentionInputs& b) noexcept {
  return a.causal == b.causal && a.causal_alignment == b.causal_alignment && a.window.left == b.window.left &&
         a.window.right == b.window.right;
}

// Which of the three are one tensor decides how they are projected.
bool same_sharing(const AttentionInputs& a, const AttentionInputs& b) noexcept {
  return (a.query.data == a.key.data) == (b.query.data == b.key.data) &&
         (a.query.data == a.value.data) == (b.query.data == b.value.data);
}

bool same_memory(const AttentionInputs& a, const AttentionInputs& b) noexcept {
  return a.query.data == b.query.data && a.key.data == b.key.data && a.value.data == b.value.data;
}
bool same_memory(const AttentionOutputs& a, const AttentionOutputs& b) noexcept {
  return a.output.data == b.output.data && a.attention.data == b.attention.data;
}

}  // namespace

bool LastCall::is_like(const AttentionInputs& inputs, const AttentionOutputs& outputs) const noexcept {
  return is_plain(inputs) && is_plain(outputs) && same_options(inputs, inputs_) && same_sharing(inputs, inputs_) &&
         same_form(inputs.query, inputs_.query) && same_form(inputs.key, inputs_.key) &&
         same_form(inputs.value, inputs_.value) && same_form(outputs.output, outputs_.output) &&
         same_form(outputs.attention, outputs_.attention) && outputs.score_stage == outputs_.score_stage;
}

// Half-way through, the plan fits neither call.
void LastCall::move_to(const AttentionInputs& inputs, const AttentionOutputs& outputs) {
  known_ = false;
  for (const auto& [name, view] : {std::pair{"query", &inputs.query}, {"key", &inputs.key}, {"value", &inputs.value}}) {
    require_readable(name, *view, float_types);
  }
  require_readable("output", outputs.output, float_types);
  if (outputs.attention.given) require_readable("attention", outputs.attention, float_types);
  Request& r = plan_.request;
  r.query.data = inputs.query.data;
  r.key.data = inputs.key.data;
  r.value.data = inputs.value.data;
  r.outputs.output.data = outputs.output.data;
  r.outputs.attention.data = outputs.attention.data;
  check_overlaps(inputs, r);
  lay_out(plan_);
  remember(inputs, outputs, threads_);
}

const Plan* LastCall::plan_for(const AttentionInputs& inputs, const AttentionOutputs& outputs, int threads) {
  if (!known_ || threads != threads_ || !is_like(inputs, outputs)) return nullptr;
  if (!same_memory(inputs, inputs_) || !same_memory(outputs, outputs_)) move_to(inputs, outputs);
  return &plan_;
}

void LastCall::remember(const AttentionInputs& inputs, const AttentionOutputs& outputs, int threads) {
  known_ = is_plain(inputs) && is_plain(outputs);
  if (!known_) return;
  inputs_ = inputs;
  outputs_ = outputs;
  threads_ = threads;
}

}  // namespace headwise::runtime
