#include "c_views.hpp"
#include "call_arguments.hpp"
#include "structs.hpp"

namespace headwise::capi {

AttentionOutputs read_outputs(const headwise_outputs* outputs) {
  const auto c = read_struct("outputs", outputs);
  AttentionOutputs result;
  result.output = read_view("output", c.output);
  result.attention = read_view("attention", c.attention);
  result.average_attention = read_view("average_attention", c.average_attention);
  result.attention_heads = read_view("attention_heads", c.attention_heads);
  result.attention_queries = read_view("attention_queries", c.attention_queries);
  result.top_weights = read_view("top_weights", c.top_weights);
  result.top_keys = read_view("top_keys", c.top_keys);
  result.scores = read_view("scores", c.scores);
  result.score_stage = read_enum("score_stage", c.score_stage, ScoreStage::masked);
  result.log_sum_exp = read_view("log_sum_exp", c.log_sum_exp);
  result.column_sums = read_view("column_sums", c.column_sums);
  result.head_context = read_view("head_context", c.head_context);
  result.head_contribution = read_view("head_contribution", c.head_contribution);
  return result;
}

}  // namespace headwise::capi
