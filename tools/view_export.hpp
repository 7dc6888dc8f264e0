// The weights of a view for other programs.
#pragma once

#include <string>

#include "head_weights.hpp"

namespace headwise::tools {

// "attention" f32 [layers, heads, tokens, tokens], "layers" and "segments" i64, and "contribution" f32 [layers, heads,
// tokens] where it is known.
void export_npz(const std::string& path, const HeadWeights& weights);

// Throws CommandError for weights that are NaN or infinite: JSON has no such numbers, and BertViz draws them as it
// draws 1.
void check_bertviz(const HeadWeights& weights);

// The arguments of BertViz's head_view and model_view as one JSON object: "attention", lists [layers][1][heads][tokens]
// [tokens] of which each layer becomes a tensor, "tokens", and "sentence_b_start" of a pair. Where layers were left out
// "include_layers" tells the numbers of the others, and those left out are [1][heads][0].
std::string bertviz_json(const HeadWeights& weights);

}  // namespace headwise::tools
