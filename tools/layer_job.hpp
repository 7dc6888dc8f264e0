// What run and verify do before anything is computed: load the layer and its inputs, make room for its results.
// B batch, H heads, Lq and Lk lengths.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "console.hpp"
#include "json_output.hpp"
#include "layer_options.hpp"

namespace headwise::tools {

struct LoadedLayer {
  AttentionLayer layer;
  std::int64_t layer_count = 0;  // of the file, after --prefix and --family
  AttentionWeights weights;
};

LoadedLayer load_layer(const LayerOptions& options, const Console& console);

// Owns the tensors; what was not given on the command line is not given here.
struct LayerInputs {
  Tensor query, key, value, mask, key_padding, key_lengths;

  AttentionInputs views(const LayerOptions& options) const;
};

// Notes each file that is converted to f32. Throws UsageError when a mask and its meaning do not go together.
LayerInputs load_inputs(const LayerOptions& options, const Console& console);

struct CallShape {
  std::int64_t batch = 1, query_length = 0, key_length = 0;
  bool batched = true;
};

// Throws CommandError unless query and key have two or three axes.
CallShape call_shape(const AttentionInputs& inputs);

// Empty tensors of the right shapes: [B, Lq, width] or [Lq, width], [B, H, Lq, Lk] and [B, Lq, Lk].
Tensor make_output(const CallShape& call, const AttentionConfig& config);
Tensor make_attention(const CallShape& call, const AttentionConfig& config);
Tensor make_average_attention(const CallShape& call);

// The layer in words and in JSON.
std::string describe_layer(const LoadedLayer& loaded, const LayerOptions& options);
std::string describe_sizes(const AttentionConfig& config);
Json config_json(const AttentionConfig& config);

}  // namespace headwise::tools
