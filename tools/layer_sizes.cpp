#include "layer_sizes.hpp"

#include <string_view>

namespace headwise::tools {
namespace {

const AttentionLayer::Part* find_part(const AttentionLayer& layer, std::string_view role) {
  for (const auto& part : layer.parts) {
    if (part.role == role && part.shape.size() == 2) return &part;
  }
  return nullptr;
}

}  // namespace

std::int64_t LayerSizes::head_dim(std::optional<std::int64_t> heads) const {
  return heads && *heads > 0 && query_width % *heads == 0 ? query_width / *heads : 0;
}

std::int64_t LayerSizes::kv_heads(std::optional<std::int64_t> heads) const {
  const std::int64_t size = head_dim(heads);
  return size > 0 && key_width % size == 0 ? key_width / size : 0;
}

// Matrices are [out, in]; the fused one holds query, key and value one below the other.
LayerSizes layer_sizes(const AttentionLayer& layer) {
  LayerSizes sizes;
  if (const auto* fused = find_part(layer, "qkv_weight")) {
    sizes.model_dim = fused->shape[1];
    sizes.query_width = sizes.key_width = sizes.value_width = fused->shape[0] / 3;
  }
  if (const auto* query = find_part(layer, "query_weight")) {
    sizes.query_width = query->shape[0];
    sizes.model_dim = query->shape[1];
  }
  if (const auto* key = find_part(layer, "key_weight")) sizes.key_width = key->shape[0];
  if (const auto* value = find_part(layer, "value_weight")) sizes.value_width = value->shape[0];
  if (const auto* output = find_part(layer, "output_weight")) sizes.output_dim = output->shape[0];
  return sizes;
}

std::string to_text(const LayerSizes& sizes, std::optional<std::int64_t> heads) {
  std::string text = "width " + std::to_string(sizes.model_dim);
  if (sizes.output_dim != sizes.model_dim) text += " to " + std::to_string(sizes.output_dim);
  if (!heads) return text + ", heads unknown (no config.json beside the file): give --heads to run";
  text += ", " + std::to_string(*heads) + " heads (config.json)";
  const std::int64_t head_dim = sizes.head_dim(heads);
  if (head_dim == 0) return text + " do not divide " + std::to_string(sizes.query_width);
  text += " of " + std::to_string(head_dim);
  const std::int64_t kv_heads = sizes.kv_heads(heads);
  return kv_heads == 0 || kv_heads == *heads ? text : text + " on " + std::to_string(kv_heads) + " key/value heads";
}

}  // namespace headwise::tools
