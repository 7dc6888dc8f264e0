#include "temporary_folder.hpp"
#include "written_layouts.hpp"

using namespace headwise;

namespace written {
namespace {

std::vector<Row> all_rows(const Tensor& tensor) {
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < tensor.shape()[0]; ++i) rows.push_back({&tensor, i});
  return rows;
}

Tensor gathered(const std::vector<Row>& rows, bool in_out) {
  const auto out = static_cast<std::int64_t>(rows.size());
  const Dims& shape = rows[0].tensor->shape();
  if (shape.rank() == 1) {
    Tensor bias({out});
    for (std::int64_t o = 0; o < out; ++o)
      bias.data()[o] = rows[static_cast<std::size_t>(o)].tensor->data()[rows[static_cast<std::size_t>(o)].index];
    return bias;
  }
  const std::int64_t in = shape[1];
  Tensor matrix(in_out ? Dims{in, out} : Dims{out, in});
  for (std::int64_t o = 0; o < out; ++o) {
    const Row& row = rows[static_cast<std::size_t>(o)];
    for (std::int64_t i = 0; i < in; ++i) {
      matrix.data()[in_out ? i * out + o : o * in + i] = row.tensor->data()[row.index * in + i];
    }
  }
  return matrix;
}

Tensor in_shape(const Tensor& tensor, const Dims& shape) {
  return convert(TensorView(tensor.view().data, tensor.dtype(), shape), tensor.dtype());
}

// [in, heads·d] as [in, heads, d], [heads·d] as [heads, d], and the output's [heads·d, out] as [heads, d, out].
Tensor with_heads_apart(const Tensor& tensor, std::int64_t heads, bool is_output) {
  const Dims& s = tensor.shape();
  if (s.rank() == 1) return is_output ? tensor : in_shape(tensor, {heads, s[0] / heads});
  return in_shape(tensor, is_output ? Dims{heads, s[0] / heads, s[1]} : Dims{s[0], heads, s[1] / heads});
}

std::vector<std::vector<Row>> contents(const Stored& stored, const Matrices& m, const AttentionConfig& config) {
  if (stored.weights.size() == 2) return {stored.fused(m, config), all_rows(m.output)};
  if (stored.weights.size() == 3) return {all_rows(m.query), stored.fused(m, config), all_rows(m.output)};
  return {all_rows(m.query), all_rows(m.key), all_rows(m.value), all_rows(m.output)};
}

void write(std::vector<NamedTensor>& file, const Stored& stored, const std::vector<std::string>& names,
           const Matrices& m, const AttentionConfig& config) {
  const auto parts = contents(stored, m, config);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;  // no such bias
    Tensor tensor = gathered(parts[i], stored.in_out);
    const bool is_output = i + 1 == parts.size(), is_query = i == 0;
    const std::int64_t heads = is_output || is_query ? config.num_heads : config.num_kv_heads;
    if (stored.heads_apart) tensor = with_heads_apart(tensor, heads, is_output);
    file.push_back({"model.layers.3.attn." + names[i], tensor});
  }
}

}  // namespace

AttentionWeights layer_of(std::int64_t width, std::int64_t head_dim, std::int64_t kv_heads) {
  AttentionConfig config;
  config.model_dim = width;
  config.num_heads = 4;
  config.num_kv_heads = kv_heads;
  config.head_dim = head_dim;
  return random_weights(config, 97);
}

std::vector<NamedTensor> file_of(const Stored& stored, const AttentionWeights& w) {
  std::vector<NamedTensor> file;
  write(file, stored, stored.weights, {w.query_weight, w.key_weight, w.value_weight, w.output_weight}, w.config);
  if (w.query_bias.given()) {
    write(file, stored, stored.biases, {w.query_bias, w.key_bias, w.value_bias, w.output_bias}, w.config);
  } else if (w.output_bias.given()) {
    file.push_back({"model.layers.3.attn." + stored.biases.back(), w.output_bias});
  }
  return file;
}

AttentionWeights loaded(const Stored& stored, const std::vector<NamedTensor>& tensors, const LoadOptions& options) {
  const TemporaryFolder folder;
  if (!stored.config.empty()) folder.write("config.json", "{" + stored.config + "}");
  return load_attention(folder.write("m.safetensors", safetensors_file(tensors)), options);
}

}  // namespace written
