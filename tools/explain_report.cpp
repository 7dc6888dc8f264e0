#include "explain_report.hpp"

#include <nlohmann/json.hpp>

#include "input_words.hpp"
#include "layer_words.hpp"
#include "plan_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::vector<std::string> wanted_outputs(const SizedOptions& options) {
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

void add_arguments(Table& table, const SizedCall& call, const SizedOptions& options) {
  if (options.given(Input::query)) return add_inputs(table, call.inputs, options);
  table.row({"query", shape_and_type(call.inputs.tensors[Input::query])});
  const Tensor& key = call.inputs.tensors[Input::key];
  if (key.given()) table.row({"key", shape_and_type(key)});
  add_inputs(table, call.inputs, options);
}

}  // namespace

void add_call_rows(Table& table, const SizedCall& call, const Explanation& plan, const SizedOptions& options) {
  table.row({"layer", describe_layer(call.loaded, options)});
  add_layer(table, call.loaded.weights);
  add_arguments(table, call, options);
  if (call.cached_tokens > 0) table.row({"cache", plural(call.cached_tokens, "token") + " before the query"});
  table.row({"outputs", joined(wanted_outputs(options))});
  table.row({"kernel", plan.kernel + ", " + plan.isa});
  table.row({"schedule", plan.schedule + ", " + plural(plan.threads, "thread")});
}

std::string explain_text(const SizedCall& call, const Explanation& plan, const SizedOptions& options) {
  Table table("");
  add_call_rows(table, call, plan, options);
  table.row({"scratch", byte_text(plan.scratch_bytes)});
  table.row(
      {"work", flop_text(total_flops(plan)) + ", " + fixed(plan.live_pairs, 0) + " pairs of a query and a live key"});
  return table.to_string() + "\n" + plan_text(plan);
}

Json call_json(const SizedCall& call, const Explanation& plan, const SizedOptions& options) {
  Json object = layer_json(call.loaded, options);
  object["inputs"] = inputs_json(call.inputs, options);
  object["outputs"] = wanted_outputs(options);
  object["cached_tokens"] = call.cached_tokens;
  object.update(plan_json(plan));
  return object;
}

std::string explain_json(const SizedCall& call, const Explanation& plan, const SizedOptions& options) {
  return json_line(call_json(call, plan, options));
}

}  // namespace headwise::tools
