#include "explain_report.hpp"

#include <nlohmann/json.hpp>

#include "input_words.hpp"
#include "layer_words.hpp"
#include "plan_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::vector<std::string> wanted_outputs(const ExplainOptions& options) {
  std::vector<std::string> names;
  for (const OutputFile& file : output_files()) {
    if (file.id == Output::output || options.wants(file.id)) names.push_back(file.name);
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_call(Table& table, const ExplainResult& result, const ExplainOptions& options) {
  if (options.given(Input::query)) return add_inputs(table, result.inputs, options);
  table.row({"query", shape_and_type(result.inputs.tensors[Input::query])});
  const Tensor& key = result.inputs.tensors[Input::key];
  if (key.given()) table.row({"key", shape_and_type(key)});
  add_inputs(table, result.inputs, options);
}

}  // namespace

std::string explain_text(const ExplainResult& result, const ExplainOptions& options) {
  const Explanation& plan = result.plan;
  Table table("");
  table.row({"layer", describe_layer(result.loaded, options)});
  add_layer(table, result.loaded.weights);
  add_call(table, result, options);
  if (result.cached_tokens > 0) table.row({"cache", plural(result.cached_tokens, "token") + " before the query"});
  table.row({"outputs", joined(wanted_outputs(options))});
  table.row({"kernel", plan.kernel + ", " + plan.isa});
  table.row({"schedule", plan.schedule + ", " + plural(plan.threads, "thread")});
  table.row({"scratch", byte_text(plan.scratch_bytes)});
  table.row(
      {"work", flop_text(total_flops(plan)) + ", " + fixed(plan.live_pairs, 0) + " pairs of a query and a live key"});
  return table.to_string() + "\n" + plan_text(plan);
}

std::string explain_json(const ExplainResult& result, const ExplainOptions& options) {
  Json object = layer_json(result.loaded, options);
  object["inputs"] = inputs_json(result.inputs, options);
  object["outputs"] = wanted_outputs(options);
  object["cached_tokens"] = result.cached_tokens;
  object.update(plan_json(result.plan));
  return json_line(object);
}

}  // namespace headwise::tools
