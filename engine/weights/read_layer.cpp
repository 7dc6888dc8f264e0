#include "read_layer.hpp"

#include "file_bytes.hpp"
#include "layer_parts.hpp"

namespace headwise {
namespace {

// Reads the parts of one layer as f32 and counts the bytes of all of them for the progress callback.
class PartReader {
 public:
  PartReader(const WeightFile& file, const AttentionLayer& layer, const Progress& progress)
      : file_(file), layer_(layer), progress_(progress) {
    for (const AttentionLayer::Part& part : layer.parts) total_ += bytes(part);
  }

  // Not given when the layer lacks the part.
  Tensor read(std::string_view role) {
    const AttentionLayer::Part* part = find_part(layer_, role);
    if (part == nullptr) return {};
    Progress whole_layer;
    if (progress_) whole_layer = [this](std::uint64_t done, std::uint64_t) { progress_(before_ + done, total_); };
    Tensor tensor = file_.read(part->tensor, whole_layer);
    before_ += bytes(*part);
    if (tensor.dtype() == DType::f32) return tensor;
    return convert(tensor, DType::f32);
  }

 private:
  std::uint64_t bytes(const AttentionLayer::Part& part) const {
    const TensorInfo* info = file_.find(part.tensor);
    return info->end - info->begin;
  }

  const WeightFile& file_;
  const AttentionLayer& layer_;
  const Progress& progress_;
  std::uint64_t before_ = 0, total_ = 0;
};

// Rows first … first+count−1 of a matrix, or those elements of a vector, as a tensor of its own.
Tensor rows_of(const Tensor& tensor, std::int64_t first, std::int64_t count) {
  Dims shape = tensor.shape();
  const std::int64_t row_size = tensor.size() / shape[0];
  shape[0] = count;
  return convert(TensorView(tensor.data() + first * row_size, DType::f32, shape), DType::f32);
}

// A fused tensor holds the rows of query, key and value in this order.
void split(const Tensor& fused, const AttentionConfig& config, Tensor& query, Tensor& key, Tensor& value) {
  const std::int64_t query_rows = config.num_heads * config.head_dim, key_rows = config.num_kv_heads * config.head_dim;
  query = rows_of(fused, 0, query_rows);
  key = rows_of(fused, query_rows, key_rows);
  value = rows_of(fused, query_rows + key_rows, config.num_kv_heads * config.value_dim);
}

// `kind` is "weight" or "bias".
void read_inputs(PartReader& reader, const std::string& kind, const AttentionConfig& config, Tensor& query, Tensor& key,
                 Tensor& value) {
  const Tensor fused = reader.read("qkv_" + kind);
  if (fused.given()) return split(fused, config, query, key, value);
  query = reader.read("query_" + kind);
  key = reader.read("key_" + kind);
  value = reader.read("value_" + kind);
}

void read_weights(PartReader& reader, AttentionWeights& w) {
  read_inputs(reader, "weight", w.config, w.query_weight, w.key_weight, w.value_weight);
  w.output_weight = reader.read("output_weight");
}

void read_biases(PartReader& reader, AttentionWeights& w) {
  read_inputs(reader, "bias", w.config, w.query_bias, w.key_bias, w.value_bias);
  w.output_bias = reader.read("output_bias");
}

// [1, 1, n] as torch stores it, to [n].
Tensor flat(const Tensor& tensor) {
  if (!tensor.given()) return {};
  return convert(TensorView(tensor.data(), DType::f32, {tensor.size()}), DType::f32);
}

Tensor read_norm(PartReader& reader, std::string_view role, bool plus_one) {
  Tensor norm = reader.read(role);
  if (!norm.given() || !plus_one) return norm;
  for (std::int64_t i = 0; i < norm.size(); ++i) norm.data()[i] += 1.0F;
  return norm;
}

void read_extras(PartReader& reader, const LoadOptions& options, AttentionWeights& weights) {
  weights.query_norm = read_norm(reader, "query_norm", options.norm_plus_one.value_or(false));
  weights.key_norm = read_norm(reader, "key_norm", options.norm_plus_one.value_or(false));
  weights.sinks = reader.read("sinks");
  weights.bias_key = flat(reader.read("bias_key"));
  weights.bias_value = flat(reader.read("bias_value"));
  Tensor table = reader.read("relative_bias");
  if (weights.config.position_bias.kind == PositionBias::t5) weights.relative_bias = std::move(table);
}

}  // namespace

AttentionWeights read_layer(const WeightFile& file, const AttentionLayer& layer, const AttentionConfig& config,
                            const LoadOptions& options) {
  AttentionWeights weights;
  weights.config = config;
  PartReader reader(file, layer, options.open.progress);
  read_weights(reader, weights);
  read_biases(reader, weights);
  read_extras(reader, options, weights);
  return weights;
}

}  // namespace headwise
