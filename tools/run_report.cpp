#include "run_report.hpp"

#include <nlohmann/json.hpp>

#include "input_words.hpp"
#include "layer_words.hpp"
#include "plan_words.hpp"
#include "summary.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::string milliseconds(double seconds) {
  return (seconds >= 1 ? fixed(seconds * 1e3, 0) : significant(seconds * 1e3, 3)) + " ms";
}

std::string time_text(const RunResult& result) {
  const Timing& timing = result.timing;
  const std::string of = timing.calls == 1 ? "one run" : "median of " + plural(timing.calls, "run");
  const std::string time = milliseconds(timing.median_seconds) + " (" + of + "), ";
  if (result.decoded_tokens > 0) return time + fixed(result.tokens_per_second(), 0) + " tokens/s";
  return time + significant(total_flops(result.plan) / timing.median_seconds * 1e-9, 3) + " GF/s";
}

void add_outputs(Table& table, const RunResult& result, const RunOptions& options) {
  for (const OutputFile& file : output_files()) {
    const Tensor& tensor = result.results.tensors[file.id];
    if (!tensor.given()) continue;
    const std::string& path = options.outputs[file.id];
    const std::string where = path.empty() ? ", not written: no " + file.option() : " to " + printable(path);
    table.row({file.name, shape_and_type(tensor) + where});
  }
}

std::string cache_text(const RunResult& result, const CacheOptions& cache) {
  return plural(cache.capacity, "token") + (cache.circular ? ", circular, " : ", ") + dtype_name(cache.dtype) + ", " +
         byte_text(result.cache_bytes);
}

Json outputs_json(const RunResult& result, const RunOptions& options) {
  Json object = Json::object();
  for (const OutputFile& file : output_files()) {
    const Tensor& tensor = result.results.tensors[file.id];
    if (!tensor.given()) continue;
    Json& entry = object[file.name];
    entry = to_json(summarise(tensor));
    entry["file"] = options.wants(file.id) ? json_text(options.outputs[file.id]) : Json(nullptr);
  }
  return object;
}

Json cache_json(const RunResult& result, const CacheOptions& cache) {
  if (result.decoded_tokens == 0) return nullptr;
  return {{"capacity", cache.capacity},
          {"dtype", dtype_name(cache.dtype)},
          {"circular", cache.circular},
          {"bytes", result.cache_bytes},
          {"tokens_per_second", json_number(result.tokens_per_second())}};
}

Json view_json(const RunResult& result, const RunOptions& options) {
  if (options.view.empty()) return nullptr;
  Json notes = Json::array();
  for (const std::string& note : result.page_notes) notes.push_back(json_text(note));
  return {{"file", json_text(options.view)}, {"bytes", result.page_bytes}, {"notes", std::move(notes)}};
}

Json timing_json(const RunResult& result) {
  const double seconds = result.timing.median_seconds;
  const bool whole = result.decoded_tokens == 0 && seconds > 0;
  return {{"milliseconds", json_number(seconds * 1e3)},
          {"timed_calls", result.timing.calls},
          {"gigaflops_per_second", whole ? json_number(total_flops(result.plan) / seconds * 1e-9) : Json(nullptr)}};
}

}  // namespace

double RunResult::tokens_per_second() const {
  return timing.median_seconds > 0 ? static_cast<double>(decoded_tokens) / timing.median_seconds : 0;
}

std::string run_text(const RunResult& result, const RunOptions& options) {
  const Summary summary = summarise(result.results.tensors[Output::output]);
  const Explanation& plan = result.plan;
  Table table("");
  table.row({"layer", describe_layer(result.loaded, options)});
  add_layer(table, result.loaded.weights);
  add_inputs(table, result.inputs, options);
  add_outputs(table, result, options);
  if (!options.view.empty()) table.row({"page", byte_text(result.page_bytes) + " to " + printable(options.view)});
  if (result.decoded_tokens > 0) table.row({"cache", cache_text(result, options.cache)});
  table.row({"ran", plan.isa + " kernels (" + plan.kernel + "), " + plan.schedule + " schedule, " +
                        plural(plan.threads, "thread")});
  table.row({"steps", step_names(plan)});
  table.row({"time", time_text(result)});
  table.row({"values", to_text(summary)});
  table.row({"first", first_values(summary)});
  return table.to_string() + (options.explain ? "\n" + plan_text(plan) : "");
}

std::string run_json(const RunResult& result, const RunOptions& options) {
  Json object = layer_json(result.loaded, options);
  object["inputs"] = inputs_json(result.inputs, options);
  object["outputs"] = outputs_json(result, options);
  object["view"] = view_json(result, options);
  object["cache"] = cache_json(result, options.cache);
  object.update(plan_json(result.plan));
  object.update(timing_json(result));
  if (options.explain) object["explanation"] = result.plan.to_string();
  if (options.values) object["outputs"]["output"]["values"] = json_values(result.results.tensors[Output::output]);
  return json_line(object);
}

}  // namespace headwise::tools
