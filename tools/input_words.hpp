// The layer and the inputs of a call in words and in JSON, the same for run, explain and verify.
#pragma once

#include <headwise/headwise.hpp>
#include <string>

#include "json_output.hpp"
#include "layer_job.hpp"
#include "text.hpp"

namespace headwise::tools {

std::string shape_and_type(const Tensor& tensor);  // "[2, 5, 32] f32"
// The rows "sizes" and "with".
void add_layer(Table& table, const AttentionWeights& weights);
// A row for each input that is given, and for what is said about masks.
void add_inputs(Table& table, const LayerInputs& inputs, const LayerOptions& options);
Json inputs_json(const LayerInputs& inputs, const LayerOptions& options);
// "file", "layer", "family", "prefix", "config".
Json layer_json(const LoadedLayer& loaded, const LayerOptions& options);

}  // namespace headwise::tools
