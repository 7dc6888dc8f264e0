#include "run_report.hpp"

#include <nlohmann/json.hpp>

#include "json_output.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

// The parts of a result that have a file on one side: role, tensor, path.
struct Part {
  const char* name;
  const Tensor* tensor;
  const std::string* path;
};

std::vector<Part> input_parts(const RunResult& result, const RunOptions& options) {
  return {{"query", &result.inputs.query, &options.query},
          {"key", &result.inputs.key, &options.key},
          {"value", &result.inputs.value, &options.value},
          {"mask", &result.inputs.mask, &options.mask},
          {"key_padding", &result.inputs.key_padding, &options.key_padding},
          {"key_lengths", &result.inputs.key_lengths, &options.key_lengths}};
}

std::vector<Part> output_parts(const RunResult& result, const RunOptions& options) {
  return {{"output", &result.output, &options.output},
          {"attention", &result.attention, &options.attention},
          {"average_attention", &result.average_attention, &options.average_attention}};
}

std::string shape_and_type(const Tensor& tensor) {
  return to_string(tensor.shape()) + " " + dtype_name(tensor.dtype());
}

std::string step_names(const Explanation& explanation) {
  std::string names;
  for (const StepInfo& step : explanation.steps) names += (names.empty() ? "" : " → ") + step.name;
  return names;
}

std::string time_text(const Timing& timing) {
  const std::string of = timing.calls == 1 ? "one call" : "median of " + plural(timing.calls, "call");
  const double milliseconds = timing.median_seconds * 1e3;
  return (milliseconds >= 1000 ? fixed(milliseconds, 0) : significant(milliseconds, 3)) + " ms (" + of + ")";
}

std::string causal_text(CausalAlignment alignment) {
  switch (alignment) {
    case CausalAlignment::unspecified:
      return "no query sees a later key";
    case CausalAlignment::upper_left:
      return "upper-left: key j is live for query i when j ≤ i";
    case CausalAlignment::lower_right:
      return "lower-right: key j is live for query i when j ≤ i + keys - queries";
  }
  return "";
}

void add_inputs(Table& table, const RunResult& result, const RunOptions& options) {
  for (const Part& part : input_parts(result, options)) {
    if (part.tensor->given()) table.row({part.name, shape_and_type(*part.tensor) + " from " + printable(*part.path)});
  }
  if (!result.inputs.key.given()) table.row({"key", "the query"});
  if (!result.inputs.value.given()) table.row({"value", "the key"});
  if (options.causal) table.row({"causal", causal_text(options.causal_alignment)});
}

void add_outputs(Table& table, const RunResult& result, const RunOptions& options) {
  for (const Part& part : output_parts(result, options)) {
    if (!part.tensor->given()) continue;
    const std::string where = part.path->empty() ? ", not written: no --output" : " to " + printable(*part.path);
    table.row({part.name, shape_and_type(*part.tensor) + where});
  }
}

Json parts_json(const std::vector<Part>& parts, bool with_summary) {
  Json object = Json::object();
  for (const Part& part : parts) {
    if (!part.tensor->given()) continue;
    Json& entry = object[part.name];
    entry = with_summary ? to_json(summarise(*part.tensor)) : Json::object();
    entry["shape"] = json_shape(part.tensor->shape());
    entry["dtype"] = dtype_name(part.tensor->dtype());
    entry["file"] = part.path->empty() ? Json(nullptr) : json_text(*part.path);
  }
  return object;
}

Json steps_json(const Explanation& explanation) {
  Json steps = Json::array();
  for (const StepInfo& step : explanation.steps) {
    steps.push_back({{"name", step.name},
                     {"reads", step.reads},
                     {"writes", step.writes},
                     {"flops", step.flops},
                     {"bytes", step.bytes}});
  }
  return steps;
}

Json how_it_ran(const RunResult& result) {
  return {{"isa", result.explanation.isa},
          {"schedule", result.explanation.schedule},
          {"threads", result.explanation.threads},
          {"scratch_bytes", result.explanation.scratch_bytes},
          {"steps", steps_json(result.explanation)},
          {"milliseconds", json_number(result.timing.median_seconds * 1e3)},
          {"timed_calls", result.timing.calls},
          {"flops", json_number(result.flops())},
          {"gigaflops_per_second", json_number(result.gigaflops())}};
}

}  // namespace

double RunResult::flops() const {
  double total = 0;
  for (const StepInfo& step : explanation.steps) total += step.flops;
  return total;
}

double RunResult::gigaflops() const {
  return timing.median_seconds > 0 ? flops() / timing.median_seconds * 1e-9 : 0;
}

std::string run_text(const RunResult& result, const RunOptions& options) {
  const Summary summary = summarise(result.output);
  const Explanation& how = result.explanation;
  Table table("");
  table.row({"layer", describe_layer(result.loaded, options)});
  table.row({"sizes", describe_sizes(result.config)});
  add_inputs(table, result, options);
  add_outputs(table, result, options);
  table.row({"ran", how.isa + " kernels, " + how.schedule + " schedule, " + plural(how.threads, "thread")});
  table.row({"steps", step_names(how)});
  table.row({"time", time_text(result.timing) + ", " + significant(result.gigaflops(), 3) + " GF/s"});
  table.row({"values", to_text(summary)});
  table.row({"first", first_values(summary)});
  const std::string plan = options.explain ? "\n" + how.to_string() : "";
  return table.to_string() + plan;
}

std::string run_json(const RunResult& result, const RunOptions& options) {
  Json object = {{"file", json_text(options.file)},
                 {"layer", options.load.layer},
                 {"family", result.loaded.layer.family},
                 {"prefix", json_text(result.loaded.layer.prefix)},
                 {"config", config_json(result.config)},
                 {"inputs", parts_json(input_parts(result, options), false)},
                 {"outputs", parts_json(output_parts(result, options), true)}};
  object.update(how_it_ran(result));
  if (options.explain) object["explanation"] = result.explanation.to_string();
  if (options.values) object["outputs"]["output"]["values"] = json_values(result.output);
  return json_line(object);
}

}  // namespace headwise::tools
