#include "single_parts.hpp"

#include "headwise/layer_tensors.hpp"
#include "stated_sizes.hpp"
#include "text.hpp"

namespace headwise {
namespace {

LayerSizes sizes_of(const AttentionWeights& w, const AttentionConfig& c) {
  const auto size = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  LayerSizes sizes{size(c.num_heads * c.head_dim),
                   size(c.num_kv_heads * c.head_dim),
                   size(c.num_kv_heads * c.value_dim),
                   size(c.output_dim),
                   size(c.model_dim),
                   size(c.key_input_dim),
                   size(c.value_input_dim)};
  if (w.relative_bias.shape().rank() > 0) sizes.buckets = size(w.relative_bias.shape()[0]);
  sizes.num_heads = size(c.num_heads);
  sizes.num_kv_heads = size(c.num_kv_heads);
  sizes.head_dim = size(c.head_dim);
  sizes.value_dim = size(c.value_dim);
  return sizes;
}

void check_part(const Tensor& tensor, const LayerSizes& sizes, const LayerTensor& part, const std::string& caller) {
  if (!tensor.given() && !is_matrix(part.name)) return;
  Shape expected = expected_shape(sizes, part.name);
  if (expected.size() == 3) expected.erase(expected.begin(), expected.begin() + 2);  // added keys are vectors here
  const Shape found(tensor.shape().begin(), tensor.shape().end());
  if (found == expected) return;
  throw Error(ErrorCode::invalid_argument, caller + ": " + part.name + ": expected shape " + shape_text(expected) +
                                               ", found " + (tensor.given() ? shape_text(found) : "none"));
}

}  // namespace

void check_parts(const AttentionWeights& weights, const AttentionConfig& config, const std::string& caller) {
  const LayerSizes sizes = sizes_of(weights, config);
  for (const LayerTensor& part : stored_tensors) check_part(weights.*part.tensor, sizes, part, caller);
}

}  // namespace headwise
