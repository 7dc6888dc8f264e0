#include <algorithm>
#include <new>

#include "file_bytes.hpp"
#include "layer_parts.hpp"
#include "layout_search.hpp"
#include "missing_layer.hpp"
#include "text.hpp"

namespace headwise {
namespace {

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorCode::invalid_argument, problem);
}

AttentionLayer choose_layer(const SafetensorsFile& file, const LoadOptions& options) {
  const std::vector<AttentionLayer> all = find_attention_layers(file);
  std::vector<AttentionLayer> layers;
  for (const AttentionLayer& layer : all) {
    const bool fits = options.prefix.empty() || same_prefix(layer.prefix, options.prefix);
    if (fits && (options.family.empty() || layer.family == options.family)) layers.push_back(layer);
  }
  if (layers.empty()) throw_missing_layer(file, all, options);
  const auto count = static_cast<std::int64_t>(layers.size());
  if (options.layer < 0 || options.layer >= count) {
    refuse(in_quotes(file.path()) + ": no layer " + std::to_string(options.layer) + ", there are " +
           std::to_string(count) + ", counted from 0");
  }
  return layers[static_cast<std::size_t>(options.layer)];
}

std::int64_t choose_heads(const SafetensorsFile& file, const LoadOptions& options) {
  if (options.num_heads < 0) refuse("num_heads is negative: " + std::to_string(options.num_heads));
  if (options.num_heads > 0) return options.num_heads;
  const auto heads = heads_from_config(file.path());
  if (!heads) {
    refuse("the number of heads is not known: num_heads is not given, and there is no config.json beside " +
           in_quotes(file.path()) + " that tells it");
  }
  return *heads;
}

std::int64_t head_size(std::uint64_t rows, std::int64_t heads, const AttentionLayer& layer, const char* role) {
  const auto width = static_cast<std::int64_t>(rows);
  if (width % heads == 0) return width / heads;
  refuse("layer " + in_quotes(layer.prefix) + ": the width " + std::to_string(width) + " of " + role +
         " is not divisible by " + std::to_string(heads) + " heads");
}

AttentionConfig make_config(const LayerSizes& sizes, std::int64_t heads, const AttentionLayer& layer,
                            const LoadOptions& options) {
  AttentionConfig config;
  config.num_heads = heads;
  config.head_dim = head_size(sizes.query_rows, heads, layer, "the query");
  config.value_dim = head_size(sizes.value_rows, heads, layer, "the value");
  config.model_dim = static_cast<std::int64_t>(sizes.query_inputs);
  config.key_input_dim = static_cast<std::int64_t>(sizes.key_inputs);
  config.value_input_dim = static_cast<std::int64_t>(sizes.value_inputs);
  config.output_dim = static_cast<std::int64_t>(sizes.output_rows);
  config.scale = options.scale;
  config.rows_without_keys = options.rows_without_keys;
  return resolve(config);
}

// Reads the parts of one layer as f32 and counts the bytes of all of them for the progress callback.
class PartReader {
 public:
  PartReader(const SafetensorsFile& file, const AttentionLayer& layer, const Progress& progress)
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
    return tensor.dtype() == DType::f32 ? tensor : convert(tensor, DType::f32);
  }

 private:
  std::uint64_t bytes(const AttentionLayer::Part& part) const {
    const TensorInfo* info = file_.find(part.tensor);
    return info->end - info->begin;
  }

  const SafetensorsFile& file_;
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

void read_weights(PartReader& reader, AttentionWeights& weights) {
  const Tensor fused = reader.read("qkv_weight");
  if (fused.given()) {
    split(fused, weights.config, weights.query_weight, weights.key_weight, weights.value_weight);
  } else {
    weights.query_weight = reader.read("query_weight");
    weights.key_weight = reader.read("key_weight");
    weights.value_weight = reader.read("value_weight");
  }
  weights.output_weight = reader.read("output_weight");
}

void read_biases(PartReader& reader, AttentionWeights& weights) {
  const Tensor fused = reader.read("qkv_bias");
  if (fused.given()) {
    split(fused, weights.config, weights.query_bias, weights.key_bias, weights.value_bias);
  } else {
    weights.query_bias = reader.read("query_bias");
    weights.key_bias = reader.read("key_bias");
    weights.value_bias = reader.read("value_bias");
  }
  weights.output_bias = reader.read("output_bias");
}

}  // namespace

AttentionWeights load_attention(const std::string& path, const LoadOptions& options) {
  return load_attention(SafetensorsFile::open(path, options.open), options);
}

AttentionWeights load_attention(const SafetensorsFile& file, const LoadOptions& options) try {
  const AttentionLayer layer = choose_layer(file, options);
  check_completeness(file, layer, options.allow_missing_bias);
  const LayerSizes sizes = check_shapes(file, layer);
  AttentionWeights weights;
  weights.config = make_config(sizes, choose_heads(file, options), layer, options);
  PartReader reader(file, layer, options.open.progress);
  read_weights(reader, weights);
  read_biases(reader, weights);
  return weights;
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::out_of_memory, in_quotes(file.path()) + ": no memory to load a layer");
}

}  // namespace headwise
