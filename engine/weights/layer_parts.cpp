#include "layer_parts.hpp"

#include <algorithm>

#include "layouts.hpp"
#include "text.hpp"

namespace headwise {
namespace {

using Shape = std::vector<std::uint64_t>;

[[noreturn]] void refuse(const SafetensorsFile& file, const std::string& problem,
                         ErrorCode code = ErrorCode::bad_file) {
  throw Error(code, in_quotes(file.path()) + ": " + problem);
}

[[noreturn]] void refuse_shape(const SafetensorsFile& file, const AttentionLayer::Part& part,
                               const std::string& expected) {
  refuse(file, "tensor " + in_quotes(part.tensor) + " (" + part.role + "): expected " + expected + ", found shape " +
                   shape_text(part.shape));
}

bool is_weight(const AttentionLayer::Part& part) {
  return part.role.find("_weight") != std::string::npos;
}

void check_part_type(const SafetensorsFile& file, const AttentionLayer::Part& part) {
  const TensorInfo* info = file.find(part.tensor);
  constexpr std::string_view readable[] = {"F32", "F64", "F16", "BF16"};
  if (std::find(std::begin(readable), std::end(readable), info->dtype) == std::end(readable)) {
    refuse(file, "tensor " + in_quotes(part.tensor) + ": dtype " + info->dtype + " is none of F32, F64, F16 and BF16",
           ErrorCode::unsupported);
  }
  const std::size_t rank = is_weight(part) ? 2 : 1;
  const bool empty = std::find(part.shape.begin(), part.shape.end(), 0u) != part.shape.end();
  if (part.shape.size() != rank || empty) {
    refuse_shape(file, part, rank == 2 ? "two sizes, neither zero" : "one size, not zero");
  }
}

// Sizes as the weights state them; what two weights must agree on is taken from the first.
LayerSizes stated_sizes(const AttentionLayer& layer) {
  LayerSizes sizes;
  if (const auto* fused = find_part(layer, "qkv_weight")) {
    const std::uint64_t width = fused->shape[1];
    sizes = {width, width, width, 0, width, width, width};
  } else {
    const Shape& query = find_part(layer, "query_weight")->shape;
    const Shape& value = find_part(layer, "value_weight")->shape;
    sizes = {query[0], query[0], value[0], 0, query[1], find_part(layer, "key_weight")->shape[1], value[1]};
  }
  sizes.output_rows = find_part(layer, "output_weight")->shape[0];
  return sizes;
}

// Sizes belong to tensors that are in the file and not empty, so sums of three stay far from overflow.
Shape expected_shape(const LayerSizes& s, std::string_view role) {
  const std::uint64_t all_rows = s.query_rows + s.key_rows + s.value_rows;
  const std::pair<std::string_view, Shape> table[] = {{"query_weight", {s.query_rows, s.query_inputs}},
                                                      {"key_weight", {s.key_rows, s.key_inputs}},
                                                      {"value_weight", {s.value_rows, s.value_inputs}},
                                                      {"output_weight", {s.output_rows, s.value_rows}},
                                                      {"qkv_weight", {all_rows, s.query_inputs}},
                                                      {"query_bias", {s.query_rows}},
                                                      {"key_bias", {s.key_rows}},
                                                      {"value_bias", {s.value_rows}},
                                                      {"output_bias", {s.output_rows}},
                                                      {"qkv_bias", {all_rows}}};
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == role; })->second;
}

// The biases that the layer's family has and this layer lacks, by their full names.
std::vector<std::string> missing_biases(const AttentionLayer& layer) {
  const auto matches = [&](const Layout& layout) {
    const auto* weight = find_part(layer, layout.weights.front().role);
    return layout.family == layer.family && weight != nullptr &&
           weight->tensor == layer.prefix + std::string(layout.weights.front().name);
  };
  const auto layout = std::find_if(known_layouts().begin(), known_layouts().end(), matches);
  std::vector<std::string> missing;
  for (const PartName& bias : layout->biases) {
    if (find_part(layer, bias.role) == nullptr) missing.push_back(in_quotes(layer.prefix + std::string(bias.name)));
  }
  return missing;
}

}  // namespace

const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) noexcept {
  const auto found = std::find_if(layer.parts.begin(), layer.parts.end(),
                                  [&](const AttentionLayer::Part& part) { return part.role == role; });
  return found == layer.parts.end() ? nullptr : &*found;
}

void check_completeness(const SafetensorsFile& file, const AttentionLayer& layer, bool allow_missing_bias) {
  for (const std::string_view name : refused_companions()) {
    const std::string companion = layer.prefix + std::string(name);
    if (file.find(companion) == nullptr) continue;
    refuse(file, "tensor " + in_quotes(companion) + " changes the attention in a way that is not supported",
           ErrorCode::unsupported);
  }
  const bool any_bias = !std::all_of(layer.parts.begin(), layer.parts.end(), is_weight);
  const std::vector<std::string> missing = missing_biases(layer);
  if (!any_bias || missing.empty() || allow_missing_bias) return;
  refuse(file, "the layer has only some of its biases, missing: " + join(missing) +
                   " (allow_missing_bias takes them as zero)");
}

LayerSizes check_shapes(const SafetensorsFile& file, const AttentionLayer& layer) {
  for (const AttentionLayer::Part& part : layer.parts) check_part_type(file, part);
  const LayerSizes sizes = stated_sizes(layer);
  for (const AttentionLayer::Part& part : layer.parts) {
    const Shape expected = expected_shape(sizes, part.role);
    if (part.shape != expected) refuse_shape(file, part, "shape " + shape_text(expected));
  }
  return sizes;
}

}  // namespace headwise
