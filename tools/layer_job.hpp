// What run, explain and verify do before anything is computed: load the layer and its inputs.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "console.hpp"
#include "layer_options.hpp"

namespace headwise::tools {

struct LoadedLayer {
  AttentionLayer layer;
  std::int64_t layer_count = 0;  // of the file, after --prefix and --family
  bool checked = false;          // it passed the check that the file keeps beside it
  AttentionWeights weights;
};

// Within a handler of what loading from an open file threw: UsageError when it is the options that do not fit the file,
// CommandError when it is the file, else the same error again. `which` stands before the message.
[[noreturn]] void refuse_loading(const Error& error, const std::string& which = "");

LoadedLayer load_layer(const LayerChoice& options, const Console& console);

// Owns the tensors; what was not given on the command line is not given here.
struct LayerInputs {
  PerInput<Tensor> tensors;

  AttentionInputs views(const LayerOptions& options) const;
};

// Notes each file that is converted. Throws UsageError when a mask and its meaning do not go together.
LayerInputs load_inputs(const LayerOptions& options, const Console& console);

// Keys that the layer itself adds behind those of a call.
std::int64_t extra_keys(const AttentionWeights& weights);

}  // namespace headwise::tools
