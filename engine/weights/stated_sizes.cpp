#include "stated_sizes.hpp"

#include <algorithm>
#include <utility>

namespace headwise {
namespace {

using Matrix = std::optional<Shape>;

Matrix matrix_of(const AttentionLayer& layer, const Form& form, std::string_view role) {
  const AttentionLayer::Part* part = find_part(layer, role);
  return part == nullptr ? std::nullopt : canonical_matrix(form, role, part->shape);
}

// A fused matrix of all three does not say where the query ends. The output does: it takes what the heads of the query
// give, and a head of the value is as large as one of the query.
std::optional<LayerSizes> fused_sizes(const Shape& fused, const Shape& output, const Form& form) {
  const std::uint64_t rows = fused[0], width = fused[1], context = output[1];
  std::uint64_t key_rows = context;
  if (form.grouped) key_rows = rows > context + 1 ? (rows - context) / 2 : 1;
  return LayerSizes{context, key_rows, key_rows, output[0], width, width, width};
}

std::optional<LayerSizes> split_sizes(const AttentionLayer& layer, const Form& form, const Shape& output) {
  const Matrix query = matrix_of(layer, form, "query_weight"), both = matrix_of(layer, form, "kv_weight");
  if (query && both) {
    const std::uint64_t rows = std::max<std::uint64_t>((*both)[0] / 2, 1);
    return LayerSizes{(*query)[0], rows, rows, output[0], (*query)[1], (*both)[1], (*both)[1]};
  }
  const Matrix key = matrix_of(layer, form, "key_weight"), value = matrix_of(layer, form, "value_weight");
  if (!query || !key || !value) return std::nullopt;
  return LayerSizes{(*query)[0], (*key)[0], (*value)[0], output[0], (*query)[1], (*key)[1], (*value)[1]};
}

}  // namespace

const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) noexcept {
  const auto found = std::find_if(layer.parts.begin(), layer.parts.end(),
                                  [&](const AttentionLayer::Part& part) { return part.role == role; });
  return found == layer.parts.end() ? nullptr : &*found;
}

std::optional<LayerSizes> stated_sizes(const AttentionLayer& layer, const Form& form) {
  const Matrix output = matrix_of(layer, form, "output_weight"), fused = matrix_of(layer, form, "qkv_weight");
  if (!output) return std::nullopt;
  auto sizes = fused ? fused_sizes(*fused, *output, form) : split_sizes(layer, form, *output);
  const AttentionLayer::Part* table = find_part(layer, "relative_bias");
  if (sizes && table != nullptr && !table->shape.empty()) sizes->buckets = table->shape[0];
  return sizes;
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
                                                      {"kv_weight", {s.key_rows + s.value_rows, s.key_inputs}},
                                                      {"query_bias", {s.query_rows}},
                                                      {"key_bias", {s.key_rows}},
                                                      {"value_bias", {s.value_rows}},
                                                      {"output_bias", {s.output_rows}},
                                                      {"qkv_bias", {all_rows}},
                                                      {"kv_bias", {s.key_rows + s.value_rows}},
                                                      {"bias_key", {1, 1, s.key_rows}},
                                                      {"bias_value", {1, 1, s.value_rows}},
                                                      {"query_norm", {s.head_dim}},
                                                      {"key_norm", {s.head_dim}},
                                                      {"sinks", {s.num_heads}},
                                                      {"relative_bias", {s.buckets, s.num_heads}}};
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == role; })->second;
}

bool shapes_suit(const AttentionLayer& layer, const Form& form) {
  const auto sizes = stated_sizes(layer, form);
  if (!sizes) return false;
  const Matrix fused = matrix_of(layer, form, "qkv_weight");
  return !fused || *fused == expected_shape(*sizes, "qkv_weight");
}

AttentionLayer::Widths widths_of(const AttentionLayer& layer, const Form& form) {
  const auto sizes = stated_sizes(layer, form);
  if (!sizes) return {};
  const AttentionLayer::Part* query = find_part(layer, "query_weight");
  const std::uint64_t heads = query == nullptr ? 0 : heads_apart(form, "query_weight", query->shape);
  return {sizes->query_inputs, sizes->query_rows, sizes->key_rows, sizes->value_rows, sizes->output_rows, heads};
}

}  // namespace headwise
