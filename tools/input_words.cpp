#include "input_words.hpp"

#include <nlohmann/json.hpp>

#include "layer_words.hpp"
#include "standard_streams.hpp"

namespace headwise::tools {
namespace {

std::string causal_text(const LayerOptions& options) {
  if (options.given(Input::query_offsets)) return "key j is live for query i when j ≤ i + offset";
  switch (options.alignment) {
    case CausalAlignment::unspecified:
      return "no query sees a later key";
    case CausalAlignment::upper_left:
      return "upper-left: key j is live for query i when j ≤ i";
    case CausalAlignment::lower_right:
      return "lower-right: key j is live for query i when j ≤ i + keys - queries";
  }
  return "";
}

std::string side_text(std::int64_t count) {
  return count < 0 ? "all" : std::to_string(count);
}

bool has_window(const AttentionWindow& window) {
  return window.left >= 0 || window.right >= 0;
}

}  // namespace

std::string shape_and_type(const Tensor& tensor) {
  return to_string(tensor.shape()) + " " + dtype_name(tensor.dtype());
}

void add_layer(Table& table, const AttentionWeights& weights) {
  table.row({"sizes", describe_sizes(resolve(weights.config))});
  for (const std::string& extra : describe_extras(weights)) table.row({"with", extra});
}

void add_inputs(Table& table, const LayerInputs& inputs, const LayerOptions& options) {
  for (const InputFile& file : input_files()) {
    const Tensor& tensor = inputs.tensors[file.id];
    const std::string& path = options.inputs[file.id];
    if (tensor.given() && !path.empty())
      table.row({file.name, shape_and_type(tensor) + " from " + printable(input_name(path))});
  }
  if (!inputs.tensors[Input::key].given()) table.row({"key", "the query"});
  if (!inputs.tensors[Input::value].given()) table.row({"value", "the key"});
  if (options.causal) table.row({"causal", causal_text(options)});
  const AttentionWindow& window = options.window;
  if (!has_window(window)) return;
  table.row({"window", side_text(window.left) + " keys before a query's own, " + side_text(window.right) + " after"});
}

Json inputs_json(const LayerInputs& inputs, const LayerOptions& options) {
  Json object = Json::object();
  for (const InputFile& file : input_files()) {
    const Tensor& tensor = inputs.tensors[file.id];
    if (!tensor.given()) continue;
    const std::string& path = options.inputs[file.id];
    object[file.name] = {{"shape", json_shape(tensor.shape())},
                         {"dtype", dtype_name(tensor.dtype())},
                         {"file", path.empty() ? Json(nullptr) : json_text(path)}};
  }
  if (has_window(options.window)) object["window"] = {options.window.left, options.window.right};
  return object;
}

Json layer_json(const LoadedLayer& loaded, const LayerOptions& options) {
  if (options.file.empty()) return {{"file", nullptr}, {"config", config_json(loaded.weights)}};
  return {{"file", json_text(options.file)},
          {"layer", options.load.layer},
          {"family", loaded.layer.family},
          {"prefix", json_text(loaded.layer.prefix)},
          {"stored_check_passed", loaded.checked ? Json(true) : Json(nullptr)},
          {"config", config_json(loaded.weights)}};
}

}  // namespace headwise::tools
