#include "convert_report.hpp"

#include <nlohmann/json.hpp>

#include "json_output.hpp"
#include "layer_words.hpp"
#include "text.hpp"

namespace headwise::tools {
namespace {

std::uint64_t tensor_bytes(const Conversion& conversion) {
  std::uint64_t bytes = 0;
  for (const NamedView& view : conversion.views()) {
    bytes += static_cast<std::uint64_t>(element_count(view.tensor.shape)) * dtype_size(view.tensor.dtype);
  }
  return bytes;
}

std::string rounding_text(const Rounding& rounding) {
  std::vector<std::string> words;
  if (rounding.overflowed > 0) words.push_back(plural(rounding.overflowed, "value") + " became infinite");
  if (rounding.underflowed > 0) words.push_back(plural(rounding.underflowed, "value") + " became zero");
  return words.empty() ? "no value became infinite or zero" : words.front() + (words.size() > 1 ? ", " + words[1] : "");
}

Json layer_json(const ConvertedLayer& layer) {
  Json tensors = Json::array();
  for (const auto& [name, tensor] : layer.stored.tensors) {
    tensors.push_back({{"name", json_text(name)}, {"shape", json_shape(tensor.shape())}});
  }
  return {{"index", layer.from.index},
          {"family", layer.from.family},
          {"prefix", json_text(layer.from.prefix)},
          {"to_family", layer.stored.family},
          {"to_prefix", json_text(layer.stored.prefix)},
          {"config", config_json(layer.weights)},
          {"overflowed", layer.rounding.overflowed},
          {"underflowed", layer.rounding.underflowed},
          {"tensors", tensors}};
}

}  // namespace

std::string convert_text(const Conversion& conversion, const ConvertOptions& options) {
  const auto count = static_cast<std::int64_t>(conversion.views().size());
  Table facts("");
  facts.row({"wrote", printable(options.output) + ": " + plural(count, "tensor") + " of " + dtype_name(options.dtype) +
                          ", " + byte_text(tensor_bytes(conversion))});
  if (options.dtype == DType::f64) facts.row({"rounding", "weights pass through f32, also those that were f64"});
  if (options.dtype == DType::f16 || options.dtype == DType::bf16) {
    facts.row({"rounding", rounding_text(conversion.rounding())});
  }
  if (conversion.left_out > 0) {
    facts.row({"left out", plural(conversion.left_out, "tensor") + " that belong to no layer converted"});
  }
  facts.row({"checked", std::string("every layer loads back bit for bit") +
                            (options.to_npz() ? ", with the options that it needs" : ", with its settings")});
  Table layers;
  layers.row({"layer", "family", "prefix", "to family", "to prefix", "sizes"});
  for (const ConvertedLayer& layer : conversion.layers) {
    layers.row({std::to_string(layer.from.index), layer.from.family, printable(layer.from.prefix), layer.stored.family,
                printable(layer.stored.prefix), describe_sizes(resolve(layer.weights.config))});
  }
  return facts.to_string() + "\n" + layers.to_string();
}

std::string convert_json(const Conversion& conversion, const ConvertOptions& options) {
  const Rounding rounding = conversion.rounding();
  Json layers = Json::array(), keys = Json::array();
  for (const ConvertedLayer& layer : conversion.layers) layers.push_back(layer_json(layer));
  for (const auto& entry : conversion.metadata) keys.push_back(json_text(entry.first));
  return json_line({{"file", json_text(options.file)},
                    {"output", json_text(options.output)},
                    {"dtype", dtype_name(options.dtype)},
                    {"tensors", conversion.views().size()},
                    {"bytes", tensor_bytes(conversion)},
                    {"tensors_left_out", conversion.left_out},
                    {"overflowed", rounding.overflowed},
                    {"underflowed", rounding.underflowed},
                    {"metadata_keys", options.to_npz() ? Json::array() : keys},
                    {"layers", layers}});
}

}  // namespace headwise::tools
