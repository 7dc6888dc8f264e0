#include "output_table.hpp"

#include <algorithm>

#include "option_words.hpp"

namespace headwise::tools {
namespace {

using Sizes = ResultSizes;

Dims output_shape(const Sizes& s) {
  if (!s.call.batched) return {s.call.query_rows, s.config.output_dim};
  return {s.call.ragged ? 1 : s.call.batch, s.call.query_rows, s.config.output_dim};
}
Dims chosen_shape(const Sizes& s) {
  return {s.call.batch, s.chosen_heads, s.chosen_rows, s.columns};
}
Dims average_shape(const Sizes& s) {
  return {s.call.batch, s.call.query_length, s.columns};
}
Dims row_shape(const Sizes& s) {
  return {s.call.batch, s.config.num_heads, s.call.query_length};
}
Dims column_shape(const Sizes& s) {
  return {s.call.batch, s.config.num_heads, s.columns};
}
Dims top_shape(const Sizes& s) {
  return {s.call.batch, s.config.num_heads, s.call.query_length, s.top};
}
Dims context_shape(const Sizes& s) {
  return {s.call.batch, s.config.num_heads, s.call.query_length, s.config.value_dim};
}
Dims contribution_shape(const Sizes& s) {
  return {s.call.batch, s.config.num_heads, s.call.query_length, s.config.output_dim};
}

using Out = AttentionOutputs;

constexpr OutputFile table[] = {
    {Output::output, "output", &Out::output, DType::f32, output_shape, "The output, in the shape of the query"},
    {Output::attention, "attention", &Out::attention, DType::f32, chosen_shape,
     "Weights of each head [batch, heads, queries, keys]"},
    {Output::average_attention, "average_attention", &Out::average_attention, DType::f32, average_shape,
     "Their mean over the heads [batch, queries, keys]"},
    {Output::scores, "scores", &Out::scores, DType::f32, chosen_shape,
     "Scores before the softmax [batch, heads, queries, keys], see --score-stage"},
    {Output::log_sum_exp, "log_sum_exp", &Out::log_sum_exp, DType::f32, row_shape,
     "ln of the sum of exp(score) [batch, heads, queries]"},
    {Output::column_sums, "column_sums", &Out::column_sums, DType::f32, column_shape,
     "Weights summed over the queries [batch, heads, keys]"},
    {Output::top_weights, "top_weights", &Out::top_weights, DType::f32, top_shape,
     "The largest weights of each row [batch, heads, queries, K], with --top K"},
    {Output::top_keys, "top_keys", &Out::top_keys, DType::i64, top_shape, "Their keys, of the same shape; -1 for none"},
    {Output::head_context, "head_context", &Out::head_context, DType::f32, context_shape,
     "Context of each head [batch, heads, queries, value size]"},
    {Output::head_contribution, "head_contribution", &Out::head_contribution, DType::f32, contribution_shape,
     "Part of the output that each head makes [batch, heads, queries, width]"},
};

static_assert(std::size(table) == static_cast<std::size_t>(Output::count));

}  // namespace

std::string OutputFile::option() const {
  return "--" + option_words(name);
}

std::span<const OutputFile> output_files() {
  return table;
}

const OutputFile& output_file(Output id) {
  return *std::find_if(std::begin(table), std::end(table), [id](const OutputFile& file) { return file.id == id; });
}

}  // namespace headwise::tools
