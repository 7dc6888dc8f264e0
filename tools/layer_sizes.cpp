#include "layer_sizes.hpp"

namespace headwise::tools {
std::optional<std::int64_t> LayerSizes::heads(std::optional<std::int64_t> configured) const {
  return own_heads > 0 ? std::optional(own_heads) : configured;
}

std::int64_t LayerSizes::head_dim(std::optional<std::int64_t> heads) const {
  return heads && *heads > 0 && query_width % *heads == 0 ? query_width / *heads : 0;
}

std::int64_t LayerSizes::kv_heads(std::optional<std::int64_t> heads) const {
  const std::int64_t size = head_dim(heads);
  return size > 0 && key_width % size == 0 ? key_width / size : 0;
}

LayerSizes layer_sizes(const AttentionLayer& layer) {
  const AttentionLayer::Widths& widths = layer.widths;
  const auto size = [](std::uint64_t width) { return static_cast<std::int64_t>(width); };
  return {size(widths.model), size(widths.query),  size(widths.key),
          size(widths.value), size(widths.output), size(widths.num_heads)};
}

std::string to_text(const LayerSizes& sizes, std::optional<std::int64_t> configured_heads, const std::string& source) {
  const std::optional<std::int64_t> heads = sizes.heads(configured_heads);
  if (sizes.model_dim == 0) return "its shapes do not fit each other";
  std::string text = "width " + std::to_string(sizes.model_dim);
  if (sizes.output_dim != sizes.model_dim) text += " to " + std::to_string(sizes.output_dim);
  if (!heads) return text + ", heads unknown: give --heads";
  text += ", " + std::to_string(*heads) + " heads (" + source + ")";
  const std::int64_t head_dim = sizes.head_dim(heads);
  if (head_dim == 0) return text + " do not divide " + std::to_string(sizes.query_width);
  text += " of " + std::to_string(head_dim);
  const std::int64_t kv_heads = sizes.kv_heads(heads);
  return kv_heads == 0 || kv_heads == *heads ? text : text + " on " + std::to_string(kv_heads) + " key/value heads";
}

}  // namespace headwise::tools
