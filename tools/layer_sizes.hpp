// Sizes that the shapes of a recognised layer tell.
#pragma once

#include <headwise/headwise.hpp>
#include <optional>
#include <string>

namespace headwise::tools {

struct LayerSizes {
  std::int64_t model_dim = 0;    // width of the query input
  std::int64_t query_width = 0;  // of all heads together
  std::int64_t key_width = 0, value_width = 0;
  std::int64_t output_dim = 0;
  std::int64_t own_heads = 0;  // where the layer itself tells them, else 0

  // The layer's own before those of config.json.
  std::optional<std::int64_t> heads(std::optional<std::int64_t> configured) const;
  // 0 when the heads are unknown or do not divide the width.
  std::int64_t head_dim(std::optional<std::int64_t> heads) const;
  std::int64_t kv_heads(std::optional<std::int64_t> heads) const;
};

LayerSizes layer_sizes(const AttentionLayer& layer);
// `source` says who tells the heads.
std::string to_text(const LayerSizes& sizes, std::optional<std::int64_t> configured_heads, const std::string& source);

}  // namespace headwise::tools
