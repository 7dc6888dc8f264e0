#include "layer_parts.hpp"

#include <algorithm>

#include "text.hpp"

namespace headwise {
namespace {

using Shape = std::vector<std::uint64_t>;

[[noreturn]] void refuse(const WeightFile& file, const std::string& problem, ErrorCode code = ErrorCode::bad_file) {
  throw Error(code, in_quotes(file.path()) + ": " + problem);
}

[[noreturn]] void refuse_shape(const WeightFile& file, const AttentionLayer::Part& part, const std::string& expected) {
  refuse(file, "tensor " + in_quotes(part.tensor) + " (" + part.role + "): expected " + expected + ", found shape " +
                   shape_text(part.shape));
}

constexpr std::string_view readable[] = {"F32", "F64", "F16", "BF16"};

void check_part_type(const WeightFile& file, const AttentionLayer::Part& part) {
  const TensorInfo* info = file.find(part.tensor);
  if (std::find(std::begin(readable), std::end(readable), info->dtype) != std::end(readable)) return;
  refuse(file, "tensor " + in_quotes(part.tensor) + ": dtype " + info->dtype + " is none of F32, F64, F16 and BF16",
         ErrorCode::unsupported);
}

// Sizes belong to tensors that are in the file and not empty, so sums of three stay far from overflow.
Shape expected_shape(const LayerSizes& s, std::string_view role) {
  const std::uint64_t all_rows = s.query_rows + s.key_rows + s.value_rows;
  const std::uint64_t context = s.num_heads * s.value_dim;
  const std::pair<std::string_view, Shape> table[] = {{"query_weight", {s.query_rows, s.query_inputs}},
                                                      {"key_weight", {s.key_rows, s.key_inputs}},
                                                      {"value_weight", {s.value_rows, s.value_inputs}},
                                                      {"output_weight", {s.output_rows, context}},
                                                      {"qkv_weight", {all_rows, s.query_inputs}},
                                                      {"query_bias", {s.query_rows}},
                                                      {"key_bias", {s.key_rows}},
                                                      {"value_bias", {s.value_rows}},
                                                      {"output_bias", {s.output_rows}},
                                                      {"qkv_bias", {all_rows}},
                                                      {"bias_key", {1, 1, s.key_rows}},
                                                      {"bias_value", {1, 1, s.value_rows}},
                                                      {"query_norm", {s.head_dim}},
                                                      {"key_norm", {s.head_dim}},
                                                      {"sinks", {s.num_heads}},
                                                      {"relative_bias", {s.buckets, s.num_heads}}};
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == role; })->second;
}

void check_part_rank(const WeightFile& file, const AttentionLayer::Part& part) {
  const std::size_t rank = expected_shape({}, part.role).size();
  const bool empty = std::find(part.shape.begin(), part.shape.end(), 0u) != part.shape.end();
  constexpr const char* expected[] = {"one size, not zero", "two sizes, neither zero", "three sizes, none zero"};
  if (part.shape.size() != rank || empty) refuse_shape(file, part, expected[rank - 1]);
}

// Sizes as the weights state them; what two weights must agree on is taken from the first.
LayerSizes stated_sizes(const AttentionLayer& layer) {
  LayerSizes sizes;
  if (const auto* fused = find_part(layer, "qkv_weight")) {
    const std::uint64_t width = fused->shape[1];
    sizes = {width, width, width, 0, width, width, width};
  } else {
    const Shape& query = find_part(layer, "query_weight")->shape;
    const Shape& key = find_part(layer, "key_weight")->shape;
    const Shape& value = find_part(layer, "value_weight")->shape;
    sizes = {query[0], key[0], value[0], 0, query[1], key[1], value[1]};
  }
  sizes.output_rows = find_part(layer, "output_weight")->shape[0];
  if (const auto* table = find_part(layer, "relative_bias")) sizes.buckets = table->shape[0];
  return sizes;
}

std::uint64_t head_size(std::uint64_t rows, std::uint64_t heads, const AttentionLayer& layer, const char* role) {
  if (rows % heads == 0) return rows / heads;
  throw Error(ErrorCode::invalid_argument, "layer " + in_quotes(layer.prefix) + ": the width " + std::to_string(rows) +
                                               " of " + role + " is not divisible by " + std::to_string(heads) +
                                               " heads");
}

// Keys may be of fewer heads than queries where the layout allows it; how many, only their rows say.
std::uint64_t kv_heads(const WeightFile& file, const AttentionLayer& layer, const LayerSizes& sizes) {
  if (!layout_of(layer).grouped || sizes.key_rows == sizes.query_rows) return sizes.num_heads;
  const std::uint64_t heads = sizes.key_rows / sizes.head_dim;
  if (sizes.key_rows % sizes.head_dim == 0 && heads > 0 && sizes.num_heads % heads == 0) return heads;
  const AttentionLayer::Part& key = *find_part(layer, "key_weight");
  refuse_shape(file, key,
               "shape " + shape_text({sizes.query_rows, sizes.key_inputs}) + ", or with " +
                   std::to_string(sizes.head_dim) + " rows for each of fewer heads that divide the " +
                   std::to_string(sizes.num_heads));
}

void divide_into_heads(const WeightFile& file, const AttentionLayer& layer, LayerSizes& sizes) {
  sizes.head_dim = head_size(sizes.query_rows, sizes.num_heads, layer, "the query");
  sizes.num_kv_heads = kv_heads(file, layer, sizes);
  sizes.key_rows = sizes.num_kv_heads * sizes.head_dim;
  sizes.value_dim = head_size(sizes.value_rows, sizes.num_kv_heads, layer, "the value");
}

}  // namespace

const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) noexcept {
  const auto found = std::find_if(layer.parts.begin(), layer.parts.end(),
                                  [&](const AttentionLayer::Part& part) { return part.role == role; });
  return found == layer.parts.end() ? nullptr : &*found;
}

const Layout& layout_of(const AttentionLayer& layer) {
  const auto is_here = [&](const PartName& weight) {
    const auto* part = find_part(layer, weight.role);
    return part != nullptr && part->tensor == layer.prefix + std::string(weight.name);
  };
  const auto matches = [&](const Layout& layout) {
    return layout.family == layer.family && std::all_of(layout.weights.begin(), layout.weights.end(), is_here);
  };
  return *std::find_if(known_layouts().begin(), known_layouts().end(), matches);
}

LayerSizes check_shapes(const WeightFile& file, const AttentionLayer& layer, std::int64_t num_heads) {
  for (const AttentionLayer::Part& part : layer.parts) {
    check_part_type(file, part);
    check_part_rank(file, part);
  }
  LayerSizes sizes = stated_sizes(layer);
  sizes.num_heads = static_cast<std::uint64_t>(num_heads);
  divide_into_heads(file, layer, sizes);
  for (const AttentionLayer::Part& part : layer.parts) {
    const Shape expected = expected_shape(sizes, part.role);
    if (part.shape != expected) refuse_shape(file, part, "shape " + shape_text(expected));
  }
  return sizes;
}

}  // namespace headwise
