// Every output of a call at once.
#pragma once

#include "calls.hpp"

struct AllOutputs {
  headwise::Tensor output, attention, average, top_weights, top_keys, scores, log_sum_exp, column_sums, head_context,
      head_contribution;

  headwise::AttentionOutputs views() {
    headwise::AttentionOutputs out;
    out.output = output.mutable_view();
    out.attention = attention.mutable_view();
    out.average_attention = average.mutable_view();
    out.top_weights = top_weights.mutable_view();
    out.top_keys = top_keys.mutable_view();
    out.scores = scores.mutable_view();
    out.log_sum_exp = log_sum_exp.mutable_view();
    out.column_sums = column_sums.mutable_view();
    out.head_context = head_context.mutable_view();
    out.head_contribution = head_contribution.mutable_view();
    return out;
  }
};

struct OutputSizes {
  std::int64_t batch, queries, keys, top = 1;  // keys: those of bias_key and add_zero_attention too
};

// All that the model can give.
inline AllOutputs make_all_outputs(const headwise::MultiHeadAttention& model, const OutputSizes& s) {
  const headwise::AttentionConfig& c = model.config();
  const bool projected = model.model().projected;
  AllOutputs all;
  all.output = projected ? filled({s.batch, s.queries, c.output_dim}, unwritten)
                         : filled({s.batch, c.num_heads, s.queries, c.value_dim}, unwritten);
  all.attention = filled({s.batch, c.num_heads, s.queries, s.keys}, unwritten);
  all.average = filled({s.batch, s.queries, s.keys}, unwritten);
  all.top_weights = filled({s.batch, c.num_heads, s.queries, s.top}, unwritten);
  all.top_keys = headwise::Tensor(headwise::DType::i32, {s.batch, c.num_heads, s.queries, s.top});
  all.scores = filled({s.batch, c.num_heads, s.queries, s.keys}, unwritten);
  all.log_sum_exp = filled({s.batch, c.num_heads, s.queries}, unwritten);
  all.column_sums = filled({s.batch, c.num_heads, s.keys}, unwritten);
  all.head_context = filled({s.batch, c.num_heads, s.queries, c.value_dim}, unwritten);
  if (projected) all.head_contribution = filled({s.batch, c.num_heads, s.queries, c.output_dim}, unwritten);
  return all;
}
