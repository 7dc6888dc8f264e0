// The results of a call: room for those that are asked for, and their files.
#pragma once

#include <headwise/headwise.hpp>
#include <vector>

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

// `output`, and what the options ask for.
struct ResultForm {
  Output id = Output::output;
  DType dtype = DType::f32;
  Dims shape;
};
std::vector<ResultForm> result_forms(const ResultOptions& options, const LayerInputs& inputs, const ResultSizes& sizes);
LayerResults make_results(const std::vector<ResultForm>& forms);

}  // namespace headwise::tools
