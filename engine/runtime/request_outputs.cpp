// Where results go.
#include <string>

#include "request.hpp"
#include "with_batch.hpp"

namespace headwise::runtime {

namespace {

// f64 is for f64 calls: written from f32 arithmetic it would promise digits that are not there.
std::initializer_list<DType> result_types(const Request& request) {
  static constexpr std::initializer_list<DType> singles = {DType::f32, DType::f16, DType::bf16};
  static constexpr std::initializer_list<DType> doubles = {DType::f64};
  return request.element == kernels::Element::f64 ? doubles : singles;
}

void check_result(const char* name, MutableTensorView& view, const Dims& expected, std::initializer_list<DType> types) {
  if (!view.given) return;
  require_readable(name, view, types);
  view = with_batch(view, expected.rank());
  require_shape(name, view, expected);
  require_writable(name, view, types);
}

void check_result(const char* name, MutableTensorView& view, const Dims& expected, const Request& request) {
  check_result(name, view, expected, result_types(request));
}

void read_choice(const char* name, const TensorView& ids, std::int64_t limit, std::vector<std::int64_t>& chosen) {
  chosen.clear();
  if (!ids.given) return;
  require_readable(name, ids, id_types);
  if (ids.shape.rank() != 1 || ids.shape[0] > longest_list) {
    refuse(name, "has shape " + to_string(ids.shape) + "; expected [n], n at most " + std::to_string(longest_list));
  }
  for (std::int64_t i = 0; i < ids.shape[0]; ++i) {
    chosen.push_back(id_at(ids, i * ids.strides[0]));
    if (chosen.back() >= 0 && chosen.back() < limit) continue;
    refuse(name, "lists " + std::to_string(chosen.back()) + "; expected 0 to " + std::to_string(limit - 1));
  }
}

void check_choice(const AttentionOutputs& o) {
  const bool chosen = o.attention_heads.given || o.attention_queries.given;
  if (chosen && !o.attention.given && !o.scores.given) {
    refuse(o.attention_heads.given ? "attention_heads" : "attention_queries",
           "choose from attention and scores, and neither is asked for");
  }
}

void check_top(AttentionOutputs& o, const Request& request) {
  const Sizes& s = request.sizes;
  if (!o.top_weights.given && !o.top_keys.given) return;
  o.top_weights = with_batch(o.top_weights, 4);
  o.top_keys = with_batch(o.top_keys, 4);
  const Dims& shape = o.top_weights.given ? o.top_weights.shape : o.top_keys.shape;
  const Dims expected{s.batch, s.heads, s.queries, shape.rank() == 4 ? shape[3] : 1};
  check_result("top_weights", o.top_weights, expected, request);
  check_result("top_keys", o.top_keys, expected, id_types);
}

void check_contribution(const Model& model, AttentionOutputs& o, const Request& request) {
  const Sizes& s = request.sizes;
  if (!o.head_contribution.given) return;
  if (!model.projected) unsupported("head_contribution needs an output projection; ask for head_context");
  if (!model.output_rows.given()) {
    unsupported("head_contribution needs a model that was made with ModelOptions::head_contribution");
  }
  check_result("head_contribution", o.head_contribution, {s.batch, s.heads, s.queries, model.config.output_dim},
               request);
}

Dims output_shape(const Model& model, const Request& r) {
  const Sizes& s = r.sizes;
  const std::int64_t batch = r.ragged ? 1 : s.batch;
  const std::int64_t rows = r.ragged ? s.query_rows : s.queries;
  if (model.projected) return {batch, rows, model.config.output_dim};
  return {batch, s.heads, rows, s.value_dim};
}

void read_main_output(const Model& model, const AttentionOutputs& outputs, Request& request) {
  if (!outputs.output.given) refuse("output", "is missing");
  check_result("output", request.outputs.output, output_shape(model, request), request);
}

struct NamedOutput {
  const char* name;
  const MutableTensorView* view;
};
struct NamedInput {
  const char* name;
  const TensorView* view;
};

}  // namespace

void read_outputs(const Model& model, const AttentionOutputs& outputs, Tables& tables, Request& request) {
  AttentionOutputs& o = request.outputs;
  const Sizes& s = request.sizes;
  o = outputs;
  if (o.score_stage != ScoreStage::scaled && o.score_stage != ScoreStage::capped &&
      o.score_stage != ScoreStage::masked) {
    refuse("score_stage", "is no value of its type: " + std::to_string(static_cast<int>(o.score_stage)));
  }
  read_main_output(model, outputs, request);
  check_choice(outputs);
  read_choice("attention_heads", outputs.attention_heads, s.heads, tables.attention_heads);
  read_choice("attention_queries", outputs.attention_queries, s.queries, tables.attention_queries);
  const std::int64_t heads = o.attention_heads.given ? o.attention_heads.shape[0] : s.heads;
  const std::int64_t queries = o.attention_queries.given ? o.attention_queries.shape[0] : s.queries;
  check_result("attention", o.attention, {s.batch, heads, queries, request.columns()}, request);
  check_result("scores", o.scores, {s.batch, heads, queries, request.columns()}, request);
  check_result("average_attention", o.average_attention, {s.batch, s.queries, request.columns()}, request);
  check_top(o, request);
  check_result("log_sum_exp", o.log_sum_exp, {s.batch, s.heads, s.queries}, {DType::f32, DType::f64});
  check_result("column_sums", o.column_sums, {s.batch, s.heads, request.columns()}, request);
  check_result("head_context", o.head_context, {s.batch, s.heads, s.queries, s.value_dim}, request);
  check_contribution(model, o, request);
}

// Views are looked at where they are: copies of all of them took a third of a microsecond, a tenth of a tiny call.
void check_overlaps(const AttentionInputs& inputs, const Request& r) {
  const AttentionOutputs& o = r.outputs;
  const TensorView cached_keys = r.cache != nullptr ? r.cache->keys() : TensorView();
  const TensorView cached_values = r.cache != nullptr ? r.cache->values() : TensorView();
  const NamedOutput outputs[] = {{"output", &o.output},
                                 {"attention", &o.attention},
                                 {"average_attention", &o.average_attention},
                                 {"top_weights", &o.top_weights},
                                 {"top_keys", &o.top_keys},
                                 {"scores", &o.scores},
                                 {"log_sum_exp", &o.log_sum_exp},
                                 {"column_sums", &o.column_sums},
                                 {"head_context", &o.head_context},
                                 {"head_contribution", &o.head_contribution}};
  const NamedInput others[] = {{"query", &r.query},
                               {"key", &r.key},
                               {"value", &r.value},
                               {"attention_mask", &inputs.attention_mask},
                               {"key_padding_mask", &inputs.key_padding_mask},
                               {"key_lengths", &inputs.key_lengths},
                               {"query_documents", &inputs.query_documents},
                               {"key_documents", &inputs.key_documents},
                               {"rotary_cos", &inputs.rotary_cos},
                               {"rotary_sin", &inputs.rotary_sin},
                               {"cache keys", &cached_keys},
                               {"cache values", &cached_values}};
  for (const NamedOutput& output : outputs) {
    if (!output.view->given) continue;
    for (const NamedInput& other : others) {
      if (other.view->given) require_apart(output.name, *output.view, other.name, *other.view);
    }
    for (const NamedOutput* before = outputs; before != &output; ++before) {
      if (before->view->given) require_apart(output.name, *output.view, before->name, *before->view);
    }
  }
}

}  // namespace headwise::runtime
