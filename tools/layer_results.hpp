// The results of a call: room for those that are asked for, and their files.
#pragma once

#include <headwise/headwise.hpp>

#include "layer_job.hpp"
#include "result_options.hpp"

namespace headwise::tools {

struct LayerResults {
  PerOutput<Tensor> tensors;

  AttentionOutputs views(const ResultOptions& options, const LayerInputs& inputs);
  // bf16 has no .npy type: it is written as f32.
  void save(const ResultOptions& options, const Console& console) const;
};

ResultSizes result_sizes(const AttentionInputs& inputs, const AttentionWeights& weights);
// Room for `output` and for what the options ask for.
LayerResults make_results(const ResultOptions& options, const LayerInputs& inputs, const ResultSizes& sizes);

}  // namespace headwise::tools
