#include "read_layer.hpp"

#include "file_bytes.hpp"
#include "fused_rows.hpp"
#include "stated_sizes.hpp"

namespace headwise {
namespace {

Tensor reshaped(const Tensor& tensor, const Dims& shape) {
  return convert(TensorView(tensor.data(), DType::f32, shape), DType::f32);
}

// [out, in] whatever the form, a vector where heads are apart as one axis. Shapes are checked.
Tensor canonical(Tensor stored, const Form& form, std::string_view role) {
  const Dims& shape = stored.shape();
  if (is_head_bias(role) && shape.rank() > 1) return reshaped(stored, {stored.size()});
  if (!is_matrix(role) || form.axes == Axes::out_in) return stored;
  const std::int64_t in = role == "output_weight" ? stored.size() / shape[shape.rank() - 1] : shape[0];
  const std::int64_t out = stored.size() / in;
  return convert(TensorView(stored.data(), DType::f32, {out, in}, {1, out}), DType::f32);
}

// Reads the parts of one layer as canonical f32 and counts the bytes of all of them for the progress callback.
class PartReader {
 public:
  PartReader(const WeightFile& file, const LaidOutLayer& layer, const Progress& progress)
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
    if (tensor.dtype() != DType::f32) tensor = convert(tensor, DType::f32);
    return canonical(std::move(tensor), form(), role);
  }

  const Form& form() const { return layer_.layout().form; }

 private:
  std::uint64_t bytes(const AttentionLayer::Part& part) const {
    const TensorInfo* info = file_.find(part.tensor);
    return info->end - info->begin;
  }

  const WeightFile& file_;
  const LaidOutLayer& layer_;
  const Progress& progress_;
  std::uint64_t before_ = 0, total_ = 0;
};

// Query, key and value of one kind: their matrices or their biases.
struct Inputs {
  Tensor &query, &key, &value;
};

// `kind` is "weight" or "bias".
void read_inputs(PartReader& reader, const std::string& kind, const AttentionConfig& config, const Inputs& inputs) {
  if (const Tensor fused = reader.read("qkv_" + kind); fused.given()) {
    const FusedRows rows = rows_of_qkv(reader.form().order, config);
    inputs.query = take_rows(fused, rows.query);
    inputs.key = take_rows(fused, rows.key);
    inputs.value = take_rows(fused, rows.value);
    return;
  }
  inputs.query = reader.read("query_" + kind);
  if (const Tensor both = reader.read("kv_" + kind); both.given()) {
    inputs.key = take_rows(both, key_rows_of_kv(config));
    inputs.value = take_rows(both, value_rows_of_kv(config));
    return;
  }
  inputs.key = reader.read("key_" + kind);
  inputs.value = reader.read("value_" + kind);
}

void read_weights(PartReader& reader, AttentionWeights& w) {
  read_inputs(reader, "weight", w.config, {w.query_weight, w.key_weight, w.value_weight});
  w.output_weight = reader.read("output_weight");
}

void read_biases(PartReader& reader, AttentionWeights& w) {
  read_inputs(reader, "bias", w.config, {w.query_bias, w.key_bias, w.value_bias});
  w.output_bias = reader.read("output_bias");
}

// [1, 1, n] as torch stores it, to [n].
Tensor flat(const Tensor& tensor) {
  return tensor.given() ? reshaped(tensor, {tensor.size()}) : Tensor();
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

AttentionWeights read_layer(const WeightFile& file, const LaidOutLayer& layer, const AttentionConfig& config,
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
