// A layer as a family stores it: read_layer.cpp the other way round.
#include <algorithm>
#include <new>

#include "choose_storage.hpp"
#include "fused_rows.hpp"
#include "headwise/files.hpp"
#include "headwise/layer_tensors.hpp"
#include "headwise/weight_layouts.hpp"
#include "layer_settings.hpp"
#include "out_of_memory.hpp"
#include "single_parts.hpp"
#include "stored_shapes.hpp"
#include "text.hpp"

namespace headwise {
namespace {

const Tensor& single_part(const AttentionWeights& weights, std::string_view role) {
  const auto found = std::find_if(stored_tensors.begin(), stored_tensors.end(),
                                  [&](const LayerTensor& part) { return part.name == role; });
  return weights.*found->tensor;
}

// f32 of another shape with as many elements; strides may turn it round.
Tensor copied(const Tensor& tensor, const Dims& shape, const Dims& strides) {
  return convert(TensorView(tensor.data(), DType::f32, shape, strides), DType::f32);
}

Tensor reshaped(const Tensor& tensor, const Dims& shape) {
  return copied(tensor, shape, contiguous_strides(shape));
}

Tensor transposed(const Tensor& matrix) {
  const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  return copied(matrix, {columns, rows}, {1, columns});
}

// Query, key and value below each other in the order of their layout. One that is not given counts as zero.
Tensor fused(const std::vector<const Tensor*>& parts, const std::vector<RowRuns>& rows, std::int64_t row_size,
             bool is_matrix) {
  std::int64_t all = 0;
  for (const RowRuns& runs : rows) all += runs.rows();
  Tensor result(is_matrix ? Dims{all, row_size} : Dims{all});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->given()) put_rows(*parts[i], rows[i], result);
  }
  return result;
}

// A bias that other biases of the layer make necessary, though it is not given itself.
std::int64_t rows_of(const AttentionConfig& c, std::string_view role) {
  if (role == "query_bias") return c.num_heads * c.head_dim;
  if (role == "key_bias") return c.num_kv_heads * c.head_dim;
  return role == "value_bias" ? c.num_kv_heads * c.value_dim : c.output_dim;
}

class LayerWriter {
 public:
  LayerWriter(const AttentionWeights& weights, const Layout& layout) : w_(weights), layout_(layout) {}

  // As the layout stores it; not given when the layer lacks it.
  Tensor stored(const std::string& role) const {
    Tensor part = canonical(role);
    if (!part.given()) return part;
    if (role == "bias_key" || role == "bias_value") return reshaped(part, {1, 1, part.size()});
    if (is_matrix(role) && layout_.form.axes == Axes::in_out) part = transposed(part);
    return layout_.form.heads_apart ? with_heads_apart(part, role) : part;
  }

  // Which biases are written: all as soon as one is given, but for those that the layout can do without.
  bool writes(const PartName& bias) const {
    const bool of_output = bias.role == "output_bias";
    if (layout_.input_biases_optional && !of_output) return has_input_bias();
    return has_input_bias() || w_.output_bias.given();
  }

 private:
  bool has_input_bias() const { return w_.query_bias.given() || w_.key_bias.given() || w_.value_bias.given(); }

  Tensor canonical(const std::string& role) const {
    const AttentionConfig& c = w_.config;
    const FusedRows rows = rows_of_qkv(layout_.form.order, c);
    const std::vector<RowRuns> all{rows.query, rows.key, rows.value}, both{key_rows_of_kv(c), value_rows_of_kv(c)};
    if (role == "qkv_weight")
      return fused({&w_.query_weight, &w_.key_weight, &w_.value_weight}, all, c.model_dim, true);
    if (role == "qkv_bias") return fused({&w_.query_bias, &w_.key_bias, &w_.value_bias}, all, 1, false);
    if (role == "kv_weight") return fused({&w_.key_weight, &w_.value_weight}, both, c.key_input_dim, true);
    if (role == "kv_bias") return fused({&w_.key_bias, &w_.value_bias}, both, 1, false);
    const Tensor& part = single_part(w_, role);
    const bool is_bias = role.ends_with("_bias") && role != "relative_bias";
    return part.given() || !is_bias ? part : Tensor({rows_of(c, role)});
  }

  Tensor with_heads_apart(const Tensor& part, const std::string& role) const {
    const AttentionConfig& c = w_.config;
    const bool of_query = role.starts_with("query_"), of_key = role.starts_with("key_");
    const std::int64_t heads = of_query || role == "output_weight" ? c.num_heads : c.num_kv_heads;
    const std::int64_t size = of_query || of_key ? c.head_dim : c.value_dim;
    if (is_head_bias(role)) return reshaped(part, {heads, size});
    if (role == "output_weight") return reshaped(part, {heads, size, c.output_dim});
    return is_matrix(role) ? reshaped(part, {part.shape()[0], heads, size}) : part;
  }

  const AttentionWeights& w_;
  const Layout& layout_;
};

std::string with_dot(const std::string& prefix) {
  const bool ends = prefix.empty() || prefix.back() == '.' || prefix.back() == '/';
  return ends ? prefix : prefix + ".";
}

// The layer that a reader of the file will have.
AttentionWeights rounded(const AttentionWeights& weights, DType dtype) {
  AttentionWeights result = weights;
  result.config = resolve(weights.config);
  for (const LayerTensor& part : stored_tensors) {
    Tensor& tensor = result.*part.tensor;
    if (!tensor.given()) continue;
    if (dtype != DType::f32) tensor = convert(tensor, dtype);
    if (tensor.dtype() != DType::f32) tensor = convert(tensor, DType::f32);
  }
  return result;
}

}  // namespace

StoredLayer store_layer(const AttentionWeights& weights, const LayerStorage& storage) try {
  const AttentionWeights layer = rounded(weights, storage.dtype);
  check_parts(layer, layer.config, "store_layer");
  const LayoutPointer layout = choose_storage(layer, storage);
  const LayerWriter writer(layer, *layout);
  const std::string prefix = with_dot(storage.prefix);
  StoredLayer stored;
  const auto add = [&](const PartName& part) {
    const Tensor tensor = writer.stored(part.role);
    if (tensor.given()) stored.tensors.emplace(prefix + part.name, convert(tensor, storage.dtype));
  };
  for (const PartName& weight : layout->weights) add(weight);
  for (const PartName& bias : layout->biases) {
    if (writer.writes(bias)) add(bias);
  }
  for (const PartName& extra : layout->extras) add(extra);
  stored.family = layout->family;
  stored.prefix = prefix;
  stored.metadata = {{settings_key(prefix), settings_text(layer, layout->family)},
                     {stored_check_key(prefix), stored_check_for(layer)}};
  return stored;
} catch (const std::bad_alloc&) {
  throw_out_of_memory("no memory to store a layer");
}

}  // namespace headwise
